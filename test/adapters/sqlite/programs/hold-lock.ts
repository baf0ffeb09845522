import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lockDataDir } from '../../../../lib/adapters/sqlite/lock.ts'

/** Locks a folder for as long as it lives, and throws away what could be collected as garbage. */
lockDataDir(String(process.argv[2]))
setFlagsFromString('--expose-gc')
setInterval(() => undefined, 1_000)
setImmediate(() => {
  runInNewContext('gc')()
  process.stdout.write('locked\n')
})
