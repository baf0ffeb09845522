import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import * as path from 'node:path'
import type { Told } from './function-process.ts'

const PROGRAM = path.join(import.meta.dirname, 'function-process.ts')

export type Invoked = Awaited<ReturnType<typeof startFunction>>

/** Starts a function in a process of its own, with nothing of this one's environment but what is given. */
export const startFunction = async (file: string, env: Readonly<Record<string, string>>) => {
  const child = fork(PROGRAM, [], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let logged = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    logged += chunk.length
  })
  const ask = createAsk(child)
  const imported = await ask({ file })
  return {
    /** What its import took. */
    imported,
    invoke: (event: unknown): Promise<Told> => ask({ event }),
    /** Bytes that it wrote since it was last asked. */
    logBytes: (): number => {
      const bytes = logged
      logged = 0
      return bytes
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

type Answered = Told | { thrown: string }

/** One question, one answer: whoever asks waits before it asks again. */
const createAsk = (child: ChildProcess) => {
  let answered: (told: Answered) => void = () => undefined
  child.on('message', (told: Answered) => answered(told))
  child.on('exit', (code, signal) => answered({ thrown: `it ended: ${code ?? signal}` }))
  return async (question: { file: string } | { event: unknown }): Promise<Told> => {
    const told = await new Promise<Answered>((resolve) => {
      answered = resolve
      child.send(question)
    })
    if ('thrown' in told) throw new Error(`A function failed: ${told.thrown}`)
    return told
  }
}
