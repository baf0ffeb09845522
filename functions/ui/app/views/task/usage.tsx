import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Cost } from '../../components/cost.tsx'
import { costSource } from '../../components/cost-text.ts'
import { formatNumber } from '../../components/format.ts'
import { State } from '../../components/state.tsx'
import { formatDuration } from '../../components/time.ts'
import { When } from '../../components/when.tsx'
import { type Attempt, useAttempts } from '../../data/attempts.ts'
import { type Call, type Run, runCalls, runSteps } from '../../run/run.ts'
import { attemptNames, attemptTookMs } from './attempt-name.ts'
import { attemptStates } from './attempts.tsx'

type Sum = { readonly name: string; readonly calls: number; readonly failed: number; readonly tookMs: number }

/** Longest total time first. */
const toolSums = (calls: readonly Call[]): Sum[] =>
  [...Map.groupBy(calls, ({ name }) => name)]
    .map(([name, ofTool]) => ({
      name,
      calls: ofTool.length,
      failed: ofTool.filter(({ state }) => state === 'error').length,
      tookMs: ofTool.reduce((sum, { tookMs = 0 }) => sum + tookMs, 0),
    }))
    .sort((a, b) => b.tookMs - a.tookMs)

export const Usage = ({ task, run }: { task: Task; run: Run | undefined }) => {
  const { usage } = task
  const figures = [
    ['Tokens in', usage?.promptTokens],
    ['Tokens out', usage?.completionTokens],
    ['Tokens', usage?.totalTokens ?? (run?.usedTokens || undefined)],
    ['Steps', run && runSteps(run).length],
  ] as const
  const known = figures.filter(([, value]) => value !== undefined)
  const sums = run ? toolSums(runCalls(run)) : []
  const attempts = useAttempts(task)
  if (known.length === 0 && !task.cost)
    return <p className="px-3.5 py-3 text-muted-foreground">The agent reported no usage.</p>
  return (
    <>
      <dl className="flex flex-wrap gap-x-8 gap-y-2 px-3.5 py-3">
        {known.map(([name, value = 0]) => (
          <div key={name}>
            <dt className="text-xs text-muted-foreground">{name}</dt>
            <dd className="text-base font-medium">{formatNumber(value)}</dd>
          </div>
        ))}
        {task.cost && (
          <div>
            <dt className="text-xs text-muted-foreground">Cost</dt>
            <dd className="text-base font-medium">
              <Cost cost={task.cost} />
            </dd>
            <dd className="text-xs text-muted-foreground">{costSource(task.cost)}</dd>
          </div>
        )}
        {run?.model && (
          <div>
            <dt className="text-xs text-muted-foreground">Model</dt>
            <dd className="text-base font-medium">
              {run.provider && run.provider !== run.model ? `${run.provider}/${run.model}` : run.model}
            </dd>
          </div>
        )}
      </dl>
      {attempts.length > 0 && <Attempts attempts={attempts} />}
      {sums.length > 0 && <Tools sums={sums} />}
    </>
  )
}

const head = 'px-3.5 py-1.5 font-normal'
const cell = 'px-3.5 py-1.5'

/** Which attempt took the time and the money. */
const Attempts = ({ attempts }: { attempts: readonly Attempt[] }) => {
  const names = attemptNames(attempts)
  return (
    <table aria-label="Attempts" className="w-full border-t text-left">
      <thead>
        <tr className="text-xs text-muted-foreground">
          <th className={head}>Attempt</th>
          <th className={head}>State</th>
          <th className={`${head} max-sm:hidden`}>Started</th>
          <th className={`${head} max-sm:hidden`}>Runner</th>
          <th className={`${head} text-right`}>Time</th>
          <th className={`${head} text-right`}>Cost</th>
        </tr>
      </thead>
      <tbody>
        {attempts.map((attempt) => {
          const { id, status, startedAt, runner, cost } = attempt
          const tookMs = attemptTookMs(attempt)
          return (
            <tr key={id} className="border-t">
              <td className={cell}>{names.get(id)}</td>
              <td className={cell}>
                <State {...attemptStates[status]} />
              </td>
              <td className={`${cell} text-muted-foreground max-sm:hidden`}>
                <When at={startedAt} />
              </td>
              <td className={`${cell} text-muted-foreground max-sm:hidden`}>{runner ?? 'This service'}</td>
              <td className={`${cell} text-right`}>{tookMs !== undefined && formatDuration(tookMs)}</td>
              <td className={`${cell} text-right`}>
                <Cost cost={cost} isAlone />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const Tools = ({ sums }: { sums: readonly Sum[] }) => (
  <table aria-label="Tools" className="w-full border-t text-left">
    <thead>
      <tr className="text-xs text-muted-foreground">
        <th className={head}>Tool</th>
        <th className={`${head} text-right`}>Calls</th>
        <th className={`${head} text-right`}>Failed</th>
        <th className={`${head} text-right`}>Time</th>
      </tr>
    </thead>
    <tbody>
      {sums.map(({ name, calls, failed, tookMs }) => (
        <tr key={name} className="border-t">
          <td className={`${cell} font-mono text-xs`}>{name}</td>
          <td className={`${cell} text-right`}>{formatNumber(calls)}</td>
          <td className={`${cell} text-right ${failed > 0 ? 'text-failed' : 'text-muted-foreground'}`}>
            {formatNumber(failed)}
          </td>
          <td className={`${cell} text-right`}>{formatDuration(tookMs)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
