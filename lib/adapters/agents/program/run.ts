import { UNKNOWN_COST } from '../../../core/cost.ts'
import { costLimitReached } from '../../../core/cost-limit.ts'
import { cutText } from '../../../core/cut-text.ts'
import { definedFields } from '../../../core/defined-fields.ts'
import type { Problem } from '../../../core/errors.ts'
import { isUsageLimit } from '../../../core/usage-limit.ts'
import type { AgentContext, AgentResult, AgentTask, EarlierTurns } from '../../../ports/agent.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Commands } from '../../node/command.ts'
import { modelVariables } from '../broker/routes.ts'
import { type Brokered, type BrokeredModels, openBrokeredRun } from '../broker/run.ts'
import type { FoundProgram } from '../programs.ts'
import { createRepositoryWork, type RepositoryNeeds, type Work } from '../repository/work.ts'
import type { AgentProgram, Start } from './program.ts'
import { createRunCost, type RunCost } from './run-cost.ts'

export type ProgramNeeds = RepositoryNeeds & {
  /** Gives runs models without a key; opened at the first run. */
  brokered?: () => Promise<Brokered>
  commands: Pick<Commands, 'open'>
  clock: Clock
}

/** How a turn ended, as the program says: well, or with a `failure`, in words for a person. */
type TurnEnd = {
  failure?: string | undefined
  /** Whether another attempt may do better; false when absent. */
  retryable?: boolean | undefined
}

/** The turn of a program. `soFar` is also read where `take` throws. */
type ProgramTurn = {
  /** Throws where the program did not end its turn. */
  take(): Promise<TurnEnd>
  /** Whether what the program did last is text for its reader, with no call after it. */
  isAnswered(): boolean
  soFar(): { answer: string; facts: Readonly<Record<string, unknown>> }
}

type TurnGiven = {
  start: Start
  work: Work
  task: AgentTask
  /** Its signal also aborts where the program goes on at its cost limit. */
  context: AgentContext
  /** The program states the cost of its session here. */
  cost: Pick<RunCost, 'state'>
  /** Remembers the session of the program for a later attempt or turn. */
  keepSession: (id: string) => Promise<void>
}

/** Makes the turn of the program in a workspace; it does not begin before `take`. */
type MakeTurn = (given: TurnGiven) => ProgramTurn

const MOST_EARLIER = 4_000

/** The turn before, for a program that does not have it in its session. */
const earlierWords = ({ previous }: EarlierTurns): string => {
  const { title, prompt = title, result, error } = previous
  const answer = result?.output ?? error?.message ?? ''
  const answered = cutText(String(answer), MOST_EARLIER)
  return `[This goes on with earlier work. It was asked:\n${cutText(prompt, MOST_EARLIER)}\n\nIt was answered:\n${answered}]`
}

const INTERRUPTED = '[The last attempt at this task was interrupted. Go on where it ended.]'

/** What the program is asked to do; `resumed` when its session has what went before. */
export const taskPrompt = (
  { title, description, prompt: asked }: AgentTask,
  { notes }: Work,
  { attempt, earlier }: Pick<AgentContext, 'attempt' | 'earlier'>,
  resumed: boolean,
): string =>
  [
    resumed && attempt > 1 ? INTERRUPTED : undefined,
    !resumed && earlier ? earlierWords(earlier) : undefined,
    ...notes.map((note) => `[${note}.]`),
    asked?.includes(title) ? undefined : title,
    description,
    asked,
  ]
    .filter(Boolean)
    .join('\n\n')

/** The models of a run, and the variables by which its program finds them. */
const openModels = async (
  { providers, brokerEnv, brokerArgs }: AgentProgram,
  brokered: ProgramNeeds['brokered'],
  cost: RunCost,
  isAnswered: () => boolean,
) => {
  if (brokered === undefined) return undefined
  const host = await brokered()
  const kinds = providers.filter(host.hasModel)
  const models = await openBrokeredRun(host, cost.refusal, isAnswered)
  cost.setCalls(models)
  const access = { origin: models.origin, token: models.token, kinds, models: host.models() }
  return {
    ...models,
    env: { ...models.variables, ...modelVariables(access.models), ...brokerEnv?.(access) },
    args: brokerArgs?.(access) ?? [],
  }
}

/** What a provider refuses for good: its key, the model, the request. */
const isFinal = ({ kind, details }: Problem): boolean =>
  kind === 'invalid' || ['refused', 'context_length'].includes(Object(details).reason)

/** A run that a usage limit ended is not counted: the task is not at fault. */
const modelFailure = (failure: Problem) =>
  Object.assign(failure, { retryable: !isFinal(failure), refused: isUsageLimit(failure) })

/**
 * Throws the failure of a model that ended a turn. Programs call a turn done, too, whose last calls failed, and write so as
 * their answer. But where the answer was there before, the failed call was for something beside it, such as a title.
 */
const refuseFailed = async (models: BrokeredModels | undefined, end: TurnEnd): Promise<void> => {
  const failure = await models?.failure()
  if (failure && (end.failure !== undefined || !models?.failedAfterAnswer())) throw modelFailure(failure)
}

/** Runs tasks with a program: its checkout, its models, its turn, and the changes that it left. */
export const createProgramRun = (
  program: AgentProgram,
  needs: ProgramNeeds,
  makeTurn: MakeTurn,
  { resumes = false } = {},
) => {
  const repository = createRepositoryWork(needs)

  /** Lets the program take its turn. Resolves to how that ended, also where it failed, and to what is known of it. */
  const turnWithModels = async (
    found: FoundProgram,
    work: Work,
    task: AgentTask,
    given: AgentContext,
  ): Promise<ReturnType<ProgramTurn['soFar']> & { end: TurnEnd | { thrown: unknown } }> => {
    const cost = createRunCost(given, needs.clock)
    const { signal } = cost
    const context = { ...given, signal }
    let models: Awaited<ReturnType<typeof openModels>>
    let turn: ProgramTurn | undefined

    const take = async (): Promise<TurnEnd> => {
      models = await openModels(program, needs.brokered, cost, () => turn?.isAnswered() === true)
      context.progress(`Starting ${program.name}`)
      const { workspace } = work
      const start = {
        found,
        workspace,
        signal,
        ...(models && { env: models.env, args: models.args, bridged: models.bridged }),
      }
      const keepSession = (id: string) => repository.keepSession(work, task, id)
      turn = makeTurn({ start, work, task, context, cost, keepSession })
      const end = await turn.take()
      if (!cost.isRefused()) await refuseFailed(models, end)
      return end
    }

    /** Why a turn failed: agents say in their own ways that a call was refused. */
    const cause = async (thrown: unknown): Promise<unknown> => {
      const failure = await models?.failure()
      return failure && !signal.aborted ? modelFailure(failure) : thrown
    }

    const taken = await take().catch(async (thrown: unknown) => ({ thrown: await cause(thrown) }))
    await models?.close()
    cost.end()
    const { answer = '', facts = {} } = turn?.soFar() ?? {}
    const used = models && { usage: models.usage(), ...definedFields({ model: models.model() }) }
    const end = cost.isRefused() ? { thrown: costLimitReached() } : taken
    // A turn that failed may have called no model.
    const spent = cost.total() ?? ('thrown' in end ? undefined : UNKNOWN_COST)
    return { end, answer, facts: { ...facts, ...used, ...definedFields({ cost: spent }) } }
  }

  return async (found: FoundProgram, task: AgentTask, context: AgentContext): Promise<AgentResult> => {
    context.signal.throwIfAborted()
    const work = await repository.prepare(task, context, { resumes })
    const { end, answer, facts } = await turnWithModels(found, work, task, context)
    if ('thrown' in end)
      throw await repository.failureWithWork(end.thrown, work, { output: answer, ...facts }, context)
    const { failure, retryable = false } = end
    const changes = await repository.changes(work, context)
    const { branch, baseCommit } = work.at
    const result = { ...changes, branch, baseCommit, ...facts }
    const continuation = async () => ({ continuation: { files: await repository.left(work, context) } })
    if (failure !== undefined) {
      const output = [failure, answer].filter(Boolean).join('\n\n')
      return { success: false, retryable, output, ...result, ...(await continuation()) }
    }
    const { filesChanged } = 'thread' in changes ? changes.thread : changes
    const done = { output: answer, filesChanged }
    const published = await repository.publish(work, task, done, context)
    const left = await continuation()
    return { success: true, output: answer, ...result, ...(published && { published }), ...left }
  }
}
