import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Environment } from './credentials.ts'

/** The program that opens a URL in the browser; undefined without a desktop. */
const openCommand = (env: Environment): readonly [string, ...string[]] | undefined => {
  if (process.platform === 'darwin') return ['open']
  // The empty argument is the window title, which `start` would otherwise read from a quoted URL.
  if (process.platform === 'win32') return ['cmd', '/c', 'start', '']
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/** Whether the URL was passed to a browser. */
export const openInBrowser = async (url: string, env: Environment): Promise<boolean> => {
  const opener = openCommand(env)
  if (!opener) return false
  const [program, ...args] = opener
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.unref()
  return once(child, 'spawn').then(
    () => true,
    () => false,
  )
}
