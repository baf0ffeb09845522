import { ChangeSums } from '../../components/change-sums.tsx'
import { Facts } from '../../components/facts.tsx'
import { httpsLink } from '../../components/link.ts'
import { startOfLine } from '../../components/text-weight.ts'
import type { InboxItemOf } from '../../data/inbox.ts'
import { type RowItem, runFacts } from './words.tsx'

type Result = InboxItemOf<'result'>
type Brief = NonNullable<Result['task']['brief']>
type Reviewable = Result & { task: { brief: Brief } }

/** Whether the row says what the result is; tasks of earlier versions and imported ones do not have that. */
export const isReviewable = (item: RowItem): item is Reviewable =>
  item.kind === 'result' && item.task.brief !== undefined && item.snoozedUntil === undefined

/** What the result says, what it changed, and what it cost. */
export const ResultLine = ({ item }: { item: Reviewable }) => {
  const { text = '', changes, pullRequest } = item.task.brief
  return (
    <div className="flex min-w-0 items-baseline gap-x-3">
      <p className="min-w-0 flex-1 truncate text-muted-foreground">{startOfLine(text)}</p>
      {changes && <ChangeSums {...changes} />}
      {pullRequest && <PullRequest {...pullRequest} />}
      <p className="shrink-0 text-muted-foreground max-md:hidden">
        <Facts facts={runFacts(item)} />
      </p>
    </div>
  )
}

const PullRequest = ({ number, url }: NonNullable<Brief['pullRequest']>) => (
  <a
    href={httpsLink(url)}
    target="_blank"
    rel="noreferrer"
    aria-label={`Pull request #${number}`}
    className="relative z-1 shrink-0 font-mono text-xs underline underline-offset-2"
  >
    #{number}
  </a>
)
