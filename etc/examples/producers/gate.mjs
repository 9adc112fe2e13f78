#!/usr/bin/env node
// gate.mjs LOGS STATE CODE: writes what a gate counts into a log folder. Each line of the input is a number of people who
// have passed, or the path of a picture. STATE is a file of its own for each producer, kept between its runs.
//
// As a module, `import { SegmentWriter, identifier } from "./gate.mjs"` gives what any producer needs. It is to be copied.
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const TRANSACTIONS = 3; // of a segment; a real producer takes as many as make up to 1 MiB, or a second
const sha256 = (data) => createHash("sha256").update(data);
const hex16 = (number) => number.toString(16).padStart(16, "0");

/// The UUID of the object with a natural key, a string, integer or boolean for each property: the same for every producer.
export function identifier(entity, key) {
  const names = Object.keys(key).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const digest = sha256(JSON.stringify([entity, ...names.flatMap((name) => [name, key[name]])])).digest().subarray(0, 16);
  [digest[6], digest[8]] = [(digest[6] & 0x0f) | 0x80, (digest[8] & 0x3f) | 0x80];
  return digest.toString("hex").replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

/// Writes segments as one writer, which is new where there is no file at `state`. One process at a time may use a state.
///
/// The files have the rights that the umask leaves: 0007 lets the group of the log folder read and write.
export class SegmentWriter {
  constructor(logs, state, name, model) {
    Object.assign(this, { logs, statePath: state, name, model, isNew: !fs.existsSync(state) });
    // Without its state it cannot know its last number: it is a new writer.
    this.state = { writer: randomUUID(), next: 1, clock: "0", previous: null };
    if (this.isNew) return;
    this.state = JSON.parse(fs.readFileSync(state));
    this.#finish();
  }

  /// Writes a segment of transactions, each a list of changes with the deletions first, and returns its path.
  ///
  /// When this returns, the segment is on the disk under its name. After an exception the writer may be used again.
  write(transactions) {
    this.#finish();
    const state = { ...this.state };
    const [first, last] = [state.next, state.next + transactions.length - 1];
    const { name, model } = this;
    const lines = [{ tributary: 1, writer: state.writer, name, first, last, previous: state.previous, model }];
    transactions.forEach((changes, index) => {
      const now = BigInt(Date.now()) << 16n, after = BigInt(`0x${state.clock}`) + 1n; // never less than before
      state.clock = hex16(now > after ? now : after);
      lines.push({ transaction: first + index, clock: state.clock, changes: changes.length }, ...changes);
    });
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const digest = sha256(text).digest("hex");
    const changes = transactions.reduce((sum, transaction) => sum + transaction.length, 0);
    const end = { end: last, transactions: transactions.length, changes, sha256: digest };
    const staged = this.#stage(`${text}${JSON.stringify(end)}\n`);
    // First the state, then the name: a producer that ends in between publishes this very file when it starts again.
    const file = `${this.logs}/${state.writer}/${hex16(first)}-${hex16(last)}.tlog`;
    this.#remember({ ...state, next: last + 1, previous: digest, staged, path: file });
    this.#publish(staged, file);
    return file;
  }

  /// The value of bytes: small ones stand in the segment, large ones beside it and in place before it.
  blob(data) {
    if (data.length <= 65536) return data.toString("base64");
    const name = sha256(data).digest("hex");
    this.#publish(this.#stage(data), `${this.logs}/${this.state.writer}/blobs/${name}`);
    return { blob: name, size: data.length };
  }

  #finish() { // what a crash or an exception has interrupted
    if (this.state.staged && fs.existsSync(this.state.staged)) this.#publish(this.state.staged, this.state.path);
  }

  #stage(data) {
    fs.mkdirSync(`${this.logs}/.staging`, { recursive: true });
    const file = `${this.logs}/.staging/${randomUUID()}`;
    SegmentWriter.#writeFile(file, data);
    return file;
  }

  #publish(staged, file) { // gives a whole file its name, which never has another content
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (fs.existsSync(file)) fs.unlinkSync(staged);
    else fs.renameSync(staged, file); // nobody else writes under this UUID, so nothing can be replaced
    SegmentWriter.#syncFolder(path.dirname(file));
    SegmentWriter.#syncFolder(this.logs);
  }

  #remember(state) {
    SegmentWriter.#writeFile(`${this.statePath}.new`, JSON.stringify(state));
    fs.renameSync(`${this.statePath}.new`, this.statePath);
    SegmentWriter.#syncFolder(path.dirname(this.statePath));
    Object.assign(this, { state, isNew: false });
  }

  static #writeFile(file, data) {
    const descriptor = fs.openSync(file, "w");
    fs.writeFileSync(descriptor, data), fs.fsyncSync(descriptor), fs.closeSync(descriptor);
  }

  static #syncFolder(folder) {
    const descriptor = fs.openSync(folder, "r");
    fs.fsyncSync(descriptor), fs.closeSync(descriptor);
  }
}

async function main(logs, state, code, input) {
  process.umask(0o007);
  const writer = new SegmentWriter(logs, state, `gate ${code}`, "1");
  const gate = identifier("Gate", { code });
  let waiting = writer.isNew ? [[{ insert: "Gate", id: gate, values: { code } }]] : [];
  for await (const line of readline.createInterface({ input })) {
    const values = /^\d+$/.test(line) ? { passed: { increment: Number(line) } } : { picture: writer.blob(fs.readFileSync(line)) };
    waiting.push([{ update: "Gate", id: gate, values }]);
    if (waiting.length === TRANSACTIONS) writer.write(waiting), (waiting = []);
  }
  if (waiting.length) writer.write(waiting);
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  if (process.argv.length !== 5) throw new Error("usage: gate.mjs LOGS STATE CODE");
  await main(...process.argv.slice(2), process.stdin);
}
