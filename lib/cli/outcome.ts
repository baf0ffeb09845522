import { costText } from '../core/cost-text.ts'
import { ownOutput } from '../core/own-output.ts'
import { questionText } from '../core/question.ts'
import type { Task, TaskResult } from '../tasks/schema.ts'
import { EXIT } from './exit-codes.ts'
import { safeLine, safeText, type Terminal } from './terminal.ts'

type Change = { path: string; additions: number; deletions: number; binary: boolean }

const BAR = 40

/** A custom agent may return anything: entries that are not changes of files are left out. */
const changesIn = ({ filesChanged }: TaskResult): Change[] =>
  (Array.isArray(filesChanged) ? filesChanged : []).flatMap((each: Partial<Change> | null) =>
    typeof each?.path === 'string'
      ? [
          {
            path: safeLine(each.path),
            additions: Number(each.additions) || 0,
            deletions: Number(each.deletions) || 0,
            binary: each.binary === true,
          },
        ]
      : [],
  )

const countText = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

/** The changes of an agent in the form of `git diff --stat`; undefined without changed files. */
const diffStat = (result: TaskResult, paint: Terminal['paint']): string | undefined => {
  const changes = changesIn(result)
  if (changes.length === 0) return undefined
  const width = Math.max(...changes.map(({ path }) => path.length))
  const most = Math.max(BAR, ...changes.map(({ additions, deletions }) => additions + deletions))
  const signs = (count: number, sign: string) =>
    sign.repeat(count === 0 ? 0 : Math.max(1, Math.floor((count * BAR) / most)))
  const rows = changes.map(({ path, additions, deletions, binary }) => {
    const bar = `${paint('green', signs(additions, '+'))}${paint('red', signs(deletions, '-'))}`
    return ` ${path.padEnd(width)} | ${binary ? 'binary' : `${additions + deletions} ${bar}`}`.trimEnd()
  })
  const sum = (name: 'additions' | 'deletions') => changes.reduce((total, each) => total + each[name], 0)
  const added = sum('additions')
  const deleted = sum('deletions')
  const totals = [
    `${countText(changes.length, 'file')} changed`,
    ...(added > 0 ? [`${countText(added, 'insertion')}(+)`] : []),
    ...(deleted > 0 ? [`${countText(deleted, 'deletion')}(-)`] : []),
  ]
  return [...rows, ` ${totals.join(', ')}`].join('\n')
}

/** The files that git could not take; undefined without any. */
const leftOutIn = (result: TaskResult | undefined): string | undefined => {
  const entries = Array.isArray(result?.leftOut) ? result.leftOut : []
  const named = entries.flatMap((entry: { path?: unknown; reason?: unknown } | null) =>
    typeof entry?.path === 'string' ? safeLine(`${entry.path} (${entry.reason})`) : [],
  )
  return named.length > 0 ? named.join(', ') : undefined
}

/** Prints the result of an ended task, and resolves to its exit code. */
export const showOutcome = (task: Task, { out, say, paint }: Terminal): number => {
  const { status, result, question, error, cost } = task
  const output = ownOutput(task)
  if (output !== '') out(safeText(output).trimEnd())
  const stat = result && diffStat(result, paint)
  if (stat) out(`\n${stat}`)
  const leftOut = leftOutIn(result)
  if (leftOut) say(`Not included in the changes: ${leftOut}`)
  if (cost && cost.usd !== null) say(`Cost: ${costText(cost)}`)
  for (const warning of [result?.costWarning, result?.sessionWarning, result?.questionWarning])
    if (typeof warning === 'string') say(safeLine(warning))
  if (question) say(safeText(`Asks: ${questionText(question)}`))
  if (status === 'failed')
    say(paint('red', `Failed: ${safeLine(error?.message ?? 'no reason was given')}`, { said: true }))
  if (status === 'cancelled') say(paint('yellow', 'Cancelled', { said: true }))
  return exitCode(task)
}

export const exitCode = ({ status }: Task): number => {
  if (status === 'completed') return EXIT.done
  return status === 'cancelled' ? EXIT.cancelled : EXIT.failed
}
