import type { Entropy } from '../ports/entropy.ts'

/** Crockford's base32: without the letters that look like digits, and without U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 9
const ENTERED = /^[0-9A-HJKMNP-TV-Z]{9}$/

/** Nine characters of five random bits each; 256 is a multiple of 32, so no character is likelier than another. */
export const newCode = (entropy: Entropy): string =>
  Array.from(entropy(LENGTH), (byte) => DIGITS[byte & 31]).join('')

/** The code in three groups, joined by a hyphen or a space. */
export const grouped = (code: string, between: '-' | ' '): string =>
  [code.slice(0, 3), code.slice(3, 6), code.slice(6)].join(between)

/** The separators of the groups: hyphens, dashes and spaces of any kind, the minus sign, and what is not to be seen. */
const SEPARATORS = /[\s\p{Z}\p{Pd}\p{Cf}\u2212]/gu

/** The code that a user typed, in the form in which it was made; undefined for what cannot be one. */
export const codeIn = (entered: string): string | undefined => {
  const code = entered.replaceAll(SEPARATORS, '').toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return ENTERED.test(code) ? code : undefined
}
