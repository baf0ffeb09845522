import fs, { existsSync, fstatSync, statSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'

/** Prints the files that are synced while a store is opened, each with whether SQLite had it open then, and its rows. */
const [file = ''] = process.argv.slice(2)
const synced: { file: string; isOpen: boolean }[] = []
fs.fdatasyncSync = (descriptor) => {
  const { ino } = fstatSync(descriptor)
  const named = [file, `${file}-wal`].find((one) => statSync(one).ino === ino)
  synced.push({ file: basename(named ?? 'another'), isOpen: existsSync(`${file}-shm`) })
}
syncBuiltinESMExports()
const { jobs, openJobs } = await import('../samples.ts')
const store = openJobs(file)
const rows = await store.count(jobs, { index: 'newest' })
await store.close()
process.stdout.write(`${JSON.stringify({ synced, rows })}\n`)
