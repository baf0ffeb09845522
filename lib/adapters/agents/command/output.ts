import { durationText } from '../../../core/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Program } from '../../node/command.ts'
import { agentFailure } from '../program/failures.ts'
import { createWatchdog, END_MS, SILENCE_MS } from '../program/watchdog.ts'
import type { Parser } from './parser.ts'

type Needs = { program: Program; parser: Parser; clock: Clock; signal: AbortSignal }

/**
 * Reads the output of a program until all its processes have ended. One that stays after its output, or what it says of its
 * end, is ended 10 seconds later. Resolves to whether it was. Throws `agent_silent`, what the parser throws, and the
 * signal's reason after an abort; no process is left then either.
 */
export const readOutput = async ({ program, parser, clock, signal }: Needs): Promise<boolean> => {
  const fault = Promise.withResolvers<never>()
  const decoder = new TextDecoder()
  let wasEnded = false
  let cancelEnd: (() => void) | undefined
  let hasFailed = false

  const fail = (failure: unknown) => {
    hasFailed = true
    fault.reject(failure)
  }
  const add = (text: string) => {
    if (hasFailed) return
    try {
      parser.add(text)
    } catch (thrown) {
      fail(thrown)
    }
  }
  const endSoon = () => {
    cancelEnd ??= clock.after(END_MS, () => {
      wasEnded = true
      program.stop()
    })
  }
  const silence = createWatchdog(clock, SILENCE_MS, () =>
    fail(agentFailure('agent_silent', `The agent sent nothing for ${durationText(SILENCE_MS)}`)),
  )

  program.stdout.on('data', (bytes: Buffer) => {
    silence.start()
    add(decoder.decode(bytes, { stream: true }))
    if (parser.end() !== undefined) endSoon()
  })
  program.stdout.once('end', endSoon)
  program.stdin.end()
  silence.start()
  try {
    await Promise.race([program.ended, fault.promise])
    add(decoder.decode())
    if (hasFailed) await fault.promise
    parser.close()
  } catch (thrown) {
    program.stop()
    throw thrown
  } finally {
    silence.rest()
    await program.ended
    cancelEnd?.()
    silence.rest()
    signal.throwIfAborted()
  }
  return wasEnded
}
