/*
 * base/attr - the compiler attributes that Weft uses, under plain names.
 */
#ifndef WEFT_BASE_ATTR_H
#define WEFT_BASE_ATTR_H

/* The result carries an error or an amount: ignoring it is a bug. */
#define MUST_USE __attribute__((warn_unused_result))

/* A parameter that a table's common signature asks for and a row ignores. */
#define UNUSED __attribute__((unused))

/* The argument number fmt is a printf format, its arguments start at args. */
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

#define NORETURN __attribute__((noreturn))

/* Fall into the next case on purpose. */
#define FALLTHROUGH __attribute__((fallthrough))

#endif /* WEFT_BASE_ATTR_H */
