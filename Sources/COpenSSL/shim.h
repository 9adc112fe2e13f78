#ifndef TRIBUTARY_COPENSSL_H
#define TRIBUTARY_COPENSSL_H
#include <openssl/crypto.h>
#include <openssl/evp.h>
#endif
