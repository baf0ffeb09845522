import { Readable, Writable } from 'node:stream'
import {
  type ClientApp,
  type ClientContext,
  type InitializeResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk'
import { cutText } from '../../../core/cut-text.ts'
import { errorMessage, Problem } from '../../../core/errors.ts'
import { durationText } from '../../../core/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Program } from '../../node/command.ts'
import { agentFailure, endFailure, withErrors } from '../program/failures.ts'
import { LARGEST_LINE } from '../program/watchdog.ts'
import { guardedStream } from './guarded-stream.ts'

const START_MS = 60_000
/** The end of a program closes its connection too, and says more: it is waited for this long. */
const EXIT_MS = 1_000
/** JSON-RPC code of ACP for a missing sign-in. */
const AUTH_REQUIRED = -32_000

const FLOODED = 'The agent sent too many requests at once'

const answeredError = (error: RequestError, program: Program): Error => {
  if (error.code === AUTH_REQUIRED)
    return agentFailure(
      'agent_not_signed_in',
      withErrors('The agent is not signed in to its model provider', program),
      false,
    )
  const { data } = error
  const more = data === undefined || data === null ? '' : ` (${cutText(JSON.stringify(data), 300)})`
  return agentFailure('agent_error', withErrors(`The agent reported: ${errorMessage(error)}${more}`, program))
}

/**
 * The connection of a client to an agent over its standard input and output. `fault` rejects once the program has ended or
 * has sent what is no message of ACP, or with what it is rejected with; `during` is work that ends with it;
 * `onUpdate` gets the parameters of its updates.
 */
export const connect = (
  program: Program,
  clock: Clock,
  app: ClientApp,
  onUpdate: (params: unknown) => void = () => undefined,
) => {
  const fault = Promise.withResolvers<never>()
  fault.promise.catch(() => undefined)
  const input = Readable.toWeb(program.stdout) as ReadableStream<Uint8Array>
  const stream = ndJsonStream(Writable.toWeb(program.stdin), input, { maxMessageBytes: LARGEST_LINE })
  const connection = app.connect(
    guardedStream(stream, {
      onUpdate,
      onFlood: () => fault.reject(agentFailure('agent_protocol', FLOODED, false)),
    }),
  )
  const { agent } = connection
  endFailure(program).then(fault.reject)
  // A message that is too large, or none at all: nothing that follows can be understood.
  connection.closed.then(() =>
    clock.after(EXIT_MS, () =>
      fault.reject(agentFailure('agent_protocol', 'The agent sent an invalid ACP message')),
    ),
  )

  const during = async <T>(work: Promise<T>): Promise<T> => {
    const answer = work.catch((thrown) => {
      if (thrown instanceof RequestError) throw answeredError(thrown, program)
      if (thrown instanceof Problem) throw thrown
      // A request fails as well where the connection ends: how the program ended says more.
      return fault.promise
    })
    return Promise.race([answer, fault.promise])
  }

  return {
    agent,
    fault: fault.reject,
    during,
    /** Handshake and what follows it, within a minute. */
    start: async <T>(work: (answer: InitializeResponse) => Promise<T>): Promise<T> => {
      const late = `The agent did not start within ${durationText(START_MS)}`
      const cancel = clock.after(START_MS, () => fault.reject(agentFailure('agent_start_timeout', late)))
      try {
        return await during(initialize(agent).then(work))
      } finally {
        cancel()
      }
    },
    /** Lets the program end by itself once its input has ended, then ends it with all its processes. */
    end: async (graceMs: number): Promise<void> => {
      program.stdin.end()
      const cancel = graceMs === 0 ? program.stop() : clock.after(graceMs, program.stop)
      await program.ended
      cancel?.()
      connection.close()
    },
  }
}

const initialize = async (agent: ClientContext): Promise<InitializeResponse> => {
  const answer = await agent.request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'agent-task-service', version: '1' },
  })
  const { protocolVersion } = answer
  if (protocolVersion === PROTOCOL_VERSION) return answer
  const message = `The agent uses version ${protocolVersion} of ACP, but version ${PROTOCOL_VERSION} is required. Update the agent`
  throw agentFailure('agent_protocol', message, false)
}
