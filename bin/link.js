import { rmSync, symlinkSync } from 'node:fs'
import * as path from 'node:path'

/**
 * After `npm ci`: npm links the programs of all packages but the one that it installs, and `npx agent-tasks` would install
 * that one into a cache at each call. Where links are not allowed, it does.
 */
const link = path.join(import.meta.dirname, '../node_modules/.bin/agent-tasks')
if (process.platform !== 'win32') {
  rmSync(link, { force: true })
  symlinkSync('../../bin/agent-tasks.js', link)
}
