import { isIPv6 } from 'node:net'

/** The key of a rate limit by address: of IPv6 its /64 (RFC 6177), which has one owner; IPv4 within IPv6 is IPv4. */
export const addressNetwork = (address: string): string => {
  if (!isIPv6(address)) return address
  const groups = ipv6Groups(address)
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535'
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')
  return `${groups.slice(0, 4).map(hex).join(':')}::/64`
}

/** The eight numbers of an IPv6 address (RFC 4291, section 2.2), without its zone. */
const ipv6Groups = (address: string): number[] => {
  const [head = '', tail = ''] = withoutDots(address.replace(/%.*$/s, '')).split('::')
  const [left, right] = [numbersIn(head), numbersIn(tail)]
  const between = Array.from({ length: 8 - left.length - right.length }, () => 0)
  return [...left, ...between, ...right]
}

/** Converts the dotted IPv4 part at the end of an IPv6 address. */
const withoutDots = (address: string): string =>
  address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
  })

const numbersIn = (part: string): number[] =>
  part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
const hex = (number: number): string => number.toString(16)

/** Whether only this machine can reach the address. */
export const isLoopback = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)
