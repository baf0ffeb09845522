import type { AgentAdapter, AgentContext, AgentResult, AgentTask } from '../../lib/ports/agent.ts'

type Execute = AgentAdapter['execute']

/** One call of a fake agent, to be ended by the test when the agent holds its calls. */
export type FakeRun = AgentContext & {
  task: AgentTask
  finish(result?: unknown): void
  fail(thrown: unknown): void
}

export type FakeAgent = AgentAdapter & {
  /** Every call so far, in order. */
  readonly runs: FakeRun[]
  /** The most calls that were open at the same time. */
  readonly most: number
}

/** An agent that keeps its calls open until the test ends them; its signal does not move it. */
export const HOLD: Execute = () => new Promise(() => undefined)

/** Succeeds with `done` unless told otherwise. `HOLD` leaves every call to the test. */
export const createFakeAgent = (
  execute: Execute = async () => ({ success: true, output: 'done' }),
  more: Partial<AgentAdapter> = {},
): FakeAgent => {
  const runs: FakeRun[] = []
  let open = 0
  let most = 0
  return {
    type: 'test-agent',
    name: 'Test agent',
    description: 'Does what a test tells it to',
    capabilities: ['test'],
    healthCheck: async () => ({ healthy: true }),
    ...more,
    runs,
    get most() {
      return most
    },
    async execute(task, context) {
      const { promise, resolve, reject } = Promise.withResolvers<AgentResult>()
      const finish = (result: unknown = { success: true, output: 'done' }) => resolve(result as AgentResult)
      runs.push({ ...context, task, finish, fail: reject })
      most = Math.max(most, ++open)
      try {
        return await Promise.race([execute(task, context), promise])
      } finally {
        open--
      }
    },
  }
}
