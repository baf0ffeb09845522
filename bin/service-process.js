import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import * as path from 'node:path'

const root = path.join(import.meta.dirname, '..')

/** The words of `npm start` that Node takes before the program. */
export const nodeFlags = () =>
  JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    .scripts.start.split(' ')
    .filter((word) => word.startsWith('--'))

/** Runs the service in a process of its own, as `npm start` does. Resolves to its exit code. */
export const startService = async ({ port }) => {
  const service = spawn(process.execPath, [...nodeFlags(), 'bin/start.js'], {
    cwd: root,
    env: { ...process.env, PORT: port },
    stdio: 'inherit',
  })
  // A terminal sends Ctrl-C to both processes: the service ends in order, and this one after it.
  const stop = () => service.kill('SIGTERM')
  const signals = ['SIGINT', 'SIGTERM']
  for (const signal of signals) process.on(signal, stop)
  const [code] = await once(service, 'close')
  for (const signal of signals) process.off(signal, stop)
  return code ?? 1
}
