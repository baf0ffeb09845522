const BRACKETED = /^\[([^\]]*)\](?::\d+)?$/
const WITH_PORT = /^([^:]+):\d+$/
const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/

/**
 * An address in the one form that it is counted in: without port, brackets and zone, IPv6 in its shortest spelling, and
 * IPv4 as such where it came as IPv6. What is no address stays as it is.
 */
export const plainAddress = (text: string): string => {
  const host = BRACKETED.exec(text)?.[1] ?? WITH_PORT.exec(text)?.[1] ?? text
  const [address = host] = host.split('%')
  const url = `http://[${address}]`
  if (!address.includes(':') || !URL.canParse(url)) return address
  const shortest = new URL(url).hostname.slice(1, -1)
  const [, high, low] = MAPPED.exec(shortest) ?? []
  return high && low ? [...bytesOf(high), ...bytesOf(low)].join('.') : shortest
}

const bytesOf = (hex: string): readonly number[] => {
  const value = Number.parseInt(hex, 16)
  return [value >> 8, value & 255]
}
