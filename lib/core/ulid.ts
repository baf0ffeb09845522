const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_DIGITS = 10

/** The ULID in an id of this service, `evt_01J…`. */
export const ulidIn = (id: string): string => id.slice(id.indexOf('_') + 1)

/** The time of an id in epoch milliseconds (https://github.com/ulid/spec: the first ten digits of base 32). */
export const timeOfId = (id: string): number => {
  let ms = 0
  for (const digit of ulidIn(id).slice(0, TIME_DIGITS)) ms = ms * 32 + DIGITS.indexOf(digit)
  return ms
}

/** A number in so many digits of base 32; its higher digits are left out. */
export const base32 = (value: number, length: number): string => {
  let digits = ''
  for (let left = value; digits.length < length; left = Math.floor(left / 32))
    digits = DIGITS.charAt(left % 32) + digits
  return digits
}

/** The first ten digits of the ULIDs of a millisecond: below all ids of it, and above all earlier ones. */
export const ulidTime = (ms: number): string => base32(Math.max(0, ms), TIME_DIGITS)

/** The first and the last millisecond of the ULIDs that begin with these digits; undefined where none does. */
export const ulidTimes = (digits: string): { first: number; last: number } | undefined => {
  const time = digits.slice(0, TIME_DIGITS)
  // The first of the ten digits has three bits.
  if (!/^[0-7]/.test(time) || [...time].some((digit) => !DIGITS.includes(digit))) return undefined
  return { first: timeOfId(time.padEnd(TIME_DIGITS, '0')), last: timeOfId(time.padEnd(TIME_DIGITS, 'Z')) }
}
