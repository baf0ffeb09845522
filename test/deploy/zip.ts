import { inflateRawSync } from 'node:zlib'

/** Where the record at the end has what it says of the directory (PKWARE APPNOTE, section 4.3.16). */
const END = { length: 22, files: 10, directory: 16 } as const
/** Where an entry of the directory has its fields (section 4.3.12). */
const ENTRY = { method: 10, size: 20, name: 28, extra: 30, comment: 32, file: 42, end: 46 } as const
/** Where a local file header has its lengths (section 4.3.7). */
const FILE = { name: 26, extra: 28, end: 30 } as const
const STORED = 0

/** The files of a zip archive by their names. The archive ends in a comment of no length. */
export const unzipFiles = (zip: Buffer): ReadonlyMap<string, Buffer> => {
  const end = zip.length - END.length
  const files = new Map<string, Buffer>()
  let at = zip.readUInt32LE(end + END.directory)
  for (let left = zip.readUInt16LE(end + END.files); left > 0; left -= 1) {
    const length = (field: keyof typeof ENTRY) => zip.readUInt16LE(at + ENTRY[field])
    const nameEnd = at + ENTRY.end + length('name')
    files.set(zip.subarray(at + ENTRY.end, nameEnd).toString(), entryContent(zip, at))
    at = nameEnd + length('extra') + length('comment')
  }
  return files
}

/** What the entry at this place of the directory stands for. */
const entryContent = (zip: Buffer, entry: number): Buffer => {
  const file = zip.readUInt32LE(entry + ENTRY.file)
  const start = file + FILE.end + zip.readUInt16LE(file + FILE.name) + zip.readUInt16LE(file + FILE.extra)
  const data = zip.subarray(start, start + zip.readUInt32LE(entry + ENTRY.size))
  return zip.readUInt16LE(entry + ENTRY.method) === STORED ? data : inflateRawSync(data)
}

/** The bundle of a function: what its zip has beside the folder of agents. */
export const unzipBundle = (zip: Buffer, name: string): Buffer => {
  const files = unzipFiles(zip)
  const bundle = files.get(`functions/${name}.mjs`) ?? files.get(`functions/${name}/handler.mjs`)
  if (bundle === undefined) throw new Error(`The zip of ${name} has no bundle`)
  return bundle
}
