#ifndef TRIBUTARY_COPENSSL_H
#define TRIBUTARY_COPENSSL_H
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#endif
