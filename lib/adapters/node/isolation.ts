import type { Commands } from '../../ports/command.ts'

// A user namespace of its own: even a process of the same user outside cannot be looked into. A process namespace
// whose first process is the command: what it started dies with it, also what left its group.
const namespaces = [
  'unshare',
  '--user',
  '--map-current-user',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
  '--',
]

/**
 * The words that put a command into namespaces of its own, or none where the system does not allow it. Without them a
 * program that an agent runs can read what the service's user can read, `/proc/<pid>/environ` of the service included.
 */
export const findIsolation = async (commands: Commands, folder: string): Promise<readonly string[]> => {
  const [file = '', ...args] = [...namespaces, 'true']
  const limits = { timeoutMs: 5_000, maxBytes: 1_000, signal: AbortSignal.timeout(10_000) }
  const { exitCode } = await commands.run({ file, args, cwd: folder, home: folder, ...limits })
  return exitCode === 0 ? namespaces : []
}
