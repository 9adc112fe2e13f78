#!/usr/bin/env node
// gate.mjs LOGS STATE CODE: writes what a gate counts into a log folder. Each line of the input is a number of people who
// have passed, or the path of a picture. STATE is a file of its own for each producer, kept between its runs.
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";

const TRANSACTIONS = 3; // of a segment; a real producer takes as many as make up to 1 MiB, or a second
const [logs, statePath, code] = process.argv.slice(2);
process.umask(0o007); // the group of the log folder may read and write
const sha256 = (data) => createHash("sha256").update(data);
const key = sha256(JSON.stringify(["Gate", "code", code])).digest().subarray(0, 16);
[key[6], key[8]] = [(key[6] & 0x0f) | 0x80, (key[8] & 0x3f) | 0x80];
// Follows from the code: every producer means the same object.
const gate = key.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
const hex16 = (number) => number.toString(16).padStart(16, "0");

function syncFolder(folder) {
  const descriptor = fs.openSync(folder, "r");
  fs.fsyncSync(descriptor), fs.closeSync(descriptor);
}
function write(file, data) {
  const descriptor = fs.openSync(file, "w");
  fs.writeFileSync(descriptor, data), fs.fsyncSync(descriptor), fs.closeSync(descriptor);
}
function stage(data) {
  fs.mkdirSync(`${logs}/.staging`, { recursive: true });
  const file = `${logs}/.staging/${randomUUID()}`;
  write(file, data);
  return file;
}
function publish(staged, file) { // gives a whole file its name, which never has another content
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (fs.existsSync(file)) fs.unlinkSync(staged);
  else fs.renameSync(staged, file);
  syncFolder(path.dirname(file)), syncFolder(logs);
}
function remember() {
  write(`${statePath}.new`, JSON.stringify(state));
  fs.renameSync(`${statePath}.new`, statePath), syncFolder(path.dirname(statePath));
}
function blob(data) { // small bytes stand in the segment, large ones beside it and in place before it
  if (data.length <= 65536) return data.toString("base64");
  const name = sha256(data).digest("hex");
  publish(stage(data), `${logs}/${state.writer}/blobs/${name}`);
  return { blob: name, size: data.length };
}
function writeSegment(transactions) {
  const [first, last] = [state.next, state.next + transactions.length - 1];
  const lines = [{ tributary: 1, writer: state.writer, name: `gate ${code}`, first, last, previous: state.previous, model: "1" }];
  transactions.forEach((changes, index) => {
    const now = BigInt(Date.now()) << 16n, after = BigInt(`0x${state.clock}`) + 1n; // never less than before
    state.clock = hex16(now > after ? now : after);
    lines.push({ transaction: first + index, clock: state.clock, changes: changes.length }, ...changes);
  });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const digest = sha256(text).digest("hex");
  const end = { end: last, transactions: transactions.length, changes: transactions.flat().length, sha256: digest };
  const staged = stage(`${text}${JSON.stringify(end)}\n`);
  // First the state, then the name: a producer that ends in between publishes this very file when it starts again.
  const file = `${logs}/${state.writer}/${hex16(first)}-${hex16(last)}.tlog`;
  Object.assign(state, { next: last + 1, previous: digest, staged, path: file });
  remember(), publish(staged, file);
}

// Without its state it cannot know its last number: it is a new writer.
let state = { writer: randomUUID(), next: 1, clock: "0", previous: null };
let waiting = [[{ insert: "Gate", id: gate, values: { code } }]];
if (fs.existsSync(statePath)) {
  [state, waiting] = [JSON.parse(fs.readFileSync(statePath)), []];
  if (fs.existsSync(state.staged)) publish(state.staged, state.path);
}
for await (const line of readline.createInterface({ input: process.stdin })) {
  const values = /^\d+$/.test(line) ? { passed: { increment: Number(line) } } : { picture: blob(fs.readFileSync(line)) };
  waiting.push([{ update: "Gate", id: gate, values }]);
  if (waiting.length === TRANSACTIONS) writeSegment(waiting), (waiting = []);
}
if (waiting.length) writeSegment(waiting);
