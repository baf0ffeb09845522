import { readdir, readFile, realpath } from 'node:fs/promises'
import { sep } from 'node:path'

const readWords = async (pid: string): Promise<string[]> => {
  // A process may end at any time.
  const cmdline = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return cmdline.split('\0')
}

/**
 * Ends the sandboxes that a killed service left in its workspaces, before this one starts any. bubblewrap dies with the
 * service, but for the moment in which it makes its namespaces: its child then waits for a parent that is gone, before it has
 * started a program. Nothing where the system has no /proc.
 */
export const endLeftSandboxes = async (workspacesDir: string): Promise<void> => {
  const folder = (await realpath(workspacesDir).catch(() => workspacesDir)) + sep
  const endIfLeft = async (pid: string) => {
    const [program, ...words] = await readWords(pid)
    if (program === 'bwrap' && words.some((word) => word.startsWith(folder)))
      process.kill(Number(pid), 'SIGKILL')
  }
  const names = await readdir('/proc').catch(() => [])
  // One that ends meanwhile, or is another user's, cannot be ended.
  await Promise.allSettled(names.filter((name) => /^\d+$/.test(name)).map(endIfLeft))
}
