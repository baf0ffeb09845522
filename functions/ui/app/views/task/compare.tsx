import { useNavigate, useSearch } from '@tanstack/react-router'
import { ArrowLeftRight } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { isCutOff } from '../../../../../lib/core/changed-files.ts'
import { ownOutput } from '../../../../../lib/core/own-output.ts'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { isFinal } from '../../../../../lib/tasks/machine.ts'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { Button } from '../../components/button.tsx'
import { Cost } from '../../components/cost.tsx'
import { FileDiffs } from '../../components/diff.tsx'
import { ErrorCode } from '../../components/error-code.tsx'
import { formatNumber, formatUsd } from '../../components/format.ts'
import { TextPieces } from '../../components/plain-text.tsx'
import { Problem } from '../../components/problem.tsx'
import { RichText } from '../../components/rich-text.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { State } from '../../components/state.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { type Compared, useCompared } from '../../data/attempts.ts'
import { attemptTookMs } from './attempt-name.ts'
import { attemptStates } from './attempts.tsx'
import { defaultPair, type NamedSubject } from './compared-pair.ts'
import { compareDiffs } from './comparison.ts'
import { useSubjects } from './subjects.ts'

/** Two attempts or tasks side by side. The address names them. */
export const Compare = ({ task }: { task: Task }) => {
  const subjects = useSubjects(task)
  const { first, second } = useSearch({ from: '/tasks/$id' })
  const navigate = useNavigate({ from: '/tasks/$id' })
  const [before, after] = defaultPair(subjects, task.id)
  // Any other id in the address is that of a task.
  const named = (id: string | undefined, otherwise: NamedSubject | undefined): NamedSubject | undefined =>
    id === undefined
      ? otherwise
      : (subjects.find((each) => each.id === id) ?? { id, taskId: id, name: startOfLine(id) })
  const pair = [named(first, before), named(second, after)] as const
  const choose = (ids: readonly [string | undefined, string | undefined]) => {
    const [one, other] = ids
    void navigate({
      search: { tab: 'compare', ...(one ? { first: one } : {}), ...(other ? { second: other } : {}) },
      replace: true,
    })
  }
  const [a, b] = pair
  if (a === undefined || b === undefined)
    return <p className="px-3.5 py-3 text-muted-foreground">There is nothing to compare with yet.</p>
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b px-3.5 py-2">
        <Choice label="First" value={a} subjects={subjects} onChange={(id) => choose([id, b.id])} />
        <Button kind="ghost" size="icon" aria-label="Swap" title="Swap" onClick={() => choose([b.id, a.id])}>
          <ArrowLeftRight size={14} />
        </Button>
        <Choice label="Second" value={b} subjects={subjects} onChange={(id) => choose([a.id, id])} />
      </div>
      <Pair first={a} second={b} />
    </>
  )
}

type ChoiceProps = {
  label: string
  value: NamedSubject
  subjects: readonly NamedSubject[]
  onChange: (id: string) => void
}

const Choice = ({ label, value, subjects, onChange }: ChoiceProps) => (
  <select
    aria-label={label}
    value={value.id}
    onChange={({ target }) => onChange(target.value)}
    className="h-8 max-w-full min-w-0 rounded-md border border-input bg-background px-2"
  >
    {(subjects.some(({ id }) => id === value.id) ? subjects : [...subjects, value]).map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </select>
)

/** What attempts and tasks have in common. What is not known is undefined. */
type Figures = {
  name: string
  state: ReactNode
  tookMs: number | undefined
  cost: Task['cost']
  tokens: number | undefined
  error: Task['error']
  output: string
  diff: string | undefined
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const figures = (name: string, compared: Compared): Figures => {
  if (compared.kind === 'attempt') {
    const { attempt } = compared
    const { status, word } = attemptStates[attempt.status]
    return {
      name,
      state: <State status={status} word={word} />,
      tookMs: attemptTookMs(attempt),
      cost: attempt.cost,
      tokens: attempt.result?.usage?.totalTokens,
      error: attempt.error,
      output: ownOutput(attempt),
      diff: attempt.result && (attempt.result.diff ?? ''),
    }
  }
  const { task } = compared
  const error = task.status === 'completed' ? undefined : task.error
  return {
    name,
    state: <State status={task.status} />,
    tookMs: isFinal(task.status) && task.startedAt ? runTimeMs(task) : undefined,
    cost: task.cost,
    tokens: task.usage?.totalTokens,
    error,
    output: ownOutput({ result: task.result, error }),
    diff: task.result && (textIn(task.result.diff) ?? ''),
  }
}

const Pair = ({ first, second }: { first: NamedSubject; second: NamedSubject }) => {
  const [one, other] = [useCompared(first), useCompared(second)]
  const error = one.error ?? other.error
  if (error)
    return <Problem error={error} onRetry={() => void Promise.all([one.refetch(), other.refetch()])} />
  if (!one.data || !other.data) return <SkeletonRows count={6} />
  const [a, b] = [figures(first.name, one.data), figures(second.name, other.data)]
  return (
    <div className="flex flex-col divide-y">
      <Table first={a} second={b} />
      <Errors first={a} second={b} />
      <Outputs first={a} second={b} />
      <Diffs key={`${first.id} ${second.id}`} first={a} second={b} />
    </div>
  )
}

type PairProps = { first: Figures; second: Figures }

const signed = (difference: number, text: (value: number) => string): string =>
  difference === 0 ? 'same' : `${difference > 0 ? '+' : '−'}${text(Math.abs(difference))}`

/** Of the second against the first; undefined where one is not known. */
const difference = (
  first: number | null | undefined,
  second: number | null | undefined,
  text: (value: number) => string,
): string | undefined =>
  typeof first === 'number' && typeof second === 'number' ? signed(second - first, text) : undefined

const NOT_KNOWN = <span className="font-normal text-muted-foreground">–</span>

const Table = ({ first, second }: PairProps) => {
  const duration = (ms: number | undefined) => ms !== undefined && formatDuration(ms)
  const isCostKnown = first.cost?.source !== 'unknown' && second.cost?.source !== 'unknown'
  const rows: readonly (readonly [string, ReactNode, ReactNode, string | undefined])[] = [
    ['State', first.state, second.state, undefined],
    [
      'Time',
      duration(first.tookMs),
      duration(second.tookMs),
      difference(first.tookMs, second.tookMs, formatDuration),
    ],
    [
      'Cost',
      first.cost && <Cost cost={first.cost} />,
      second.cost && <Cost cost={second.cost} />,
      isCostKnown ? difference(first.cost?.usd, second.cost?.usd, formatUsd) : undefined,
    ],
    [
      'Tokens',
      first.tokens !== undefined && formatNumber(first.tokens),
      second.tokens !== undefined && formatNumber(second.tokens),
      difference(first.tokens, second.tokens, formatNumber),
    ],
  ]
  return (
    <Scroller role="group" label="Figures" className="overflow-x-auto py-1">
      <table aria-label="Figures" className="text-left">
        <thead className="sr-only">
          <tr>
            <th>Figure</th>
            <th>{first.name}</th>
            <th>{second.name}</th>
            <th>Difference</th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter(([, a, b]) => a || b)
            .map(([name, a, b, change]) => (
              <tr key={name}>
                <th scope="row" className="px-3.5 py-1 font-normal text-muted-foreground">
                  {name}
                </th>
                <td className="min-w-24 px-3.5 py-1 text-base font-semibold">{a || NOT_KNOWN}</td>
                <td className="min-w-24 px-3.5 py-1 text-base font-semibold">{b || NOT_KNOWN}</td>
                <td className="px-3.5 py-1 text-muted-foreground">{change}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Scroller>
  )
}

const sides = 'grid grid-cols-1 gap-x-6 gap-y-3 px-3.5 py-3 md:grid-cols-2'

const Errors = ({ first, second }: PairProps) => {
  if (!first.error && !second.error) return null
  return (
    <section aria-label="Errors" className={sides}>
      {[first, second].map(({ name, error }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: there are two.
        <div key={at} className="min-w-0">
          <h2 className="font-semibold">{name}</h2>
          {error ? (
            <p className="text-destructive [overflow-wrap:anywhere]">
              {startOfLine(error.message)} <ErrorCode code={error.code} />
            </p>
          ) : (
            <p className="text-muted-foreground">No error.</p>
          )}
        </div>
      ))}
    </section>
  )
}

const Outputs = ({ first, second }: PairProps) => {
  const [one, other] = [first.output, second.output]
  if (one === '' && other === '') return null
  if (one === other) return <p className="px-3.5 py-2 text-muted-foreground">Both have the same output.</p>
  return (
    <section aria-label="Outputs" className={sides}>
      {[
        { name: first.name, output: one },
        { name: second.name, output: other },
      ].map(({ name, output }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: there are two.
        <div key={at} className="min-w-0">
          <h2 className="font-semibold">Output of {name}</h2>
          {output === '' ? (
            <p className="text-muted-foreground">No output.</p>
          ) : (
            <Scroller role="group" label={`Output of ${name}`} className="max-h-80 overflow-y-auto">
              <RichText text={output} />
            </Scroller>
          )}
        </div>
      ))}
    </section>
  )
}

const MOST_NAMED = 10

const Diffs = ({ first, second }: PairProps) => {
  const [one, other] = [first.diff, second.diff]
  const comparison = useMemo(
    () => (one === undefined || other === undefined ? undefined : compareDiffs(one, other)),
    [one, other],
  )
  if (comparison === undefined) {
    const missing = [first, second].filter(({ diff }) => diff === undefined).map(({ name }) => name)
    return (
      <p className="px-3.5 py-3 text-muted-foreground">
        The changes cannot be compared, because {missing.join(' and ')} has no result.
      </p>
    )
  }
  const { files, same } = comparison
  const isCut = isCutOff(one ?? '') || isCutOff(other ?? '')
  return (
    <section aria-label="Difference of the changes">
      <div className="flex flex-col gap-0.5 px-3.5 py-2">
        <h2 className="font-semibold">{headline(comparison)}</h2>
        {files.length > 0 && (
          <p className="text-muted-foreground">
            Lines with − are only in {first.name}, lines with + only in {second.name}.
          </p>
        )}
        {same.length > 0 && files.length > 0 && (
          <p className="text-muted-foreground [overflow-wrap:anywhere]">
            <TextPieces text={`The same in both: ${sameText(same)}`} />
          </p>
        )}
        {isCut && (
          <p className="text-muted-foreground">
            The longer diff was too large to store, so only its beginning is compared.
          </p>
        )}
      </div>
      {files.length > 0 && <FileDiffs files={files} />}
    </section>
  )
}

const headline = ({ files, same }: ReturnType<typeof compareDiffs>): string => {
  if (files.length === 0)
    return same.length === 0 ? 'No files changed in either' : 'Both made the same changes'
  return files.length === 1 ? '1 file differs' : `${formatNumber(files.length)} files differ`
}

const sameText = (paths: readonly string[]): string => {
  const rest = paths.length - MOST_NAMED
  const names = paths.slice(0, MOST_NAMED).map(startOfLine).join(', ')
  return rest > 0 ? `${names}, and ${formatNumber(rest)} more` : names
}
