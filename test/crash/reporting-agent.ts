import { randomUUID } from 'node:crypto'
import * as path from 'node:path'
import { compiled } from '../fakes/compiled.ts'
import { type Environment, fixtureReads, root, serviceNode } from '../journeys/service.ts'
import { settled } from './insist.ts'
import { type MarkedProcess, markedProcesses } from './marked-processes.ts'

/** Processes of a dead service or agent end at once; a busy machine needs some time to do so. */
const GONE_MS = 10_000
const program = path.join(root, 'test/fixtures/acp/reporting.ts')

/** An agent that reports what it does to the journal at `socket`: the settings of what runs it, and its processes. */
export const reportingAgent = (socket: string) => {
  const mark = randomUUID()
  const described = {
    type: 'reporting',
    command: serviceNode,
    args: [program, socket],
    env: { ...compiled, REPORTING_MARK: mark },
    reads: [...fixtureReads, path.dirname(socket)],
    // With a provider the broker stands beside each run.
    provider: 'anthropic',
  }
  const env: Environment = {
    ACP_AGENTS: JSON.stringify([described]),
    AGENT_SANDBOX: 'require',
    AGENT_NETWORK: 'on',
    ANTHROPIC_API_KEY: 'sk-operator-0123456789',
  }
  const processes = () => markedProcesses(`REPORTING_MARK=${mark}`)
  return {
    env,
    processes,
    /** Its program that runs in the workspace of a thread. */
    inThread: (thread: string | undefined) =>
      thread === undefined
        ? undefined
        : processes().find(({ words, folder }) => words[1] === program && folder.includes(thread)),
    /** The processes that are still there after the time that they have to end. */
    processesLeft: (isCounted: (found: MarkedProcess) => boolean = () => true) =>
      settled(
        GONE_MS,
        async () => processes().filter(isCounted),
        ({ length }) => length === 0,
      ),
    [Symbol.dispose]: () => {
      for (const { pid } of processes()) process.kill(pid, 'SIGKILL')
    },
  }
}
export type ReportingAgent = ReturnType<typeof reportingAgent>

export const processName = ({ pid, words }: MarkedProcess): string =>
  `${pid} ${words.join(' ').slice(0, 100)}`
