import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const programs = join(import.meta.dirname, 'programs')

type Child = {
  lines: AsyncIterable<string>
  /** The first line that the program prints. */
  said: () => Promise<string>
  /** Kills without warning, and resolves when the process is gone. */
  kill: () => Promise<void>
}

/**
 * Runs a program of `programs/` under this Node while `use` lasts; `prelude` is shell text before it, such as a limit.
 */
export const withChild = async (
  program: string,
  args: readonly string[],
  use: (child: Child) => Promise<void>,
  prelude = ':',
): Promise<void> => {
  const run = [process.execPath, join(programs, program), ...args]
  const child = spawn('/bin/sh', ['-c', `${prelude}; exec "$@"`, 'sh', ...run], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  try {
    await use({ lines, said: async () => String((await once(lines, 'line'))[0]), kill })
  } finally {
    await kill()
  }
}
