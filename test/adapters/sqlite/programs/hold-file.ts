import { DatabaseSync } from 'node:sqlite'

/** Has a data file to itself for the milliseconds given, its log beside it, and dies. */
const [, , file, holdMs] = process.argv
const db = new DatabaseSync(String(file))
db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE t (a)')
setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(holdMs))
process.stdout.write('held\n')
