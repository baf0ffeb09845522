import { inflateRawSync } from 'node:zlib'

/** Where a local file header has its lengths (PKWARE APPNOTE, section 4.3.7). */
const AT = { name: 26, extra: 28, end: 30 } as const

/** The first file of a zip archive; a function's bundle is its only one. */
export const firstFile = (zip: Buffer): { name: string; content: Buffer } => {
  const nameEnd = AT.end + zip.readUInt16LE(AT.name)
  const start = nameEnd + zip.readUInt16LE(AT.extra)
  const content = inflateRawSync(zip.subarray(start))
  return { name: zip.subarray(AT.end, nameEnd).toString(), content }
}

/** How many files an archive has, by the record at its end (section 4.3.16), which ends in a comment of no length. */
export const fileCount = (zip: Buffer): number => zip.readUInt16LE(zip.length - 12)
