import { Link } from '@tanstack/react-router'
import {
  CircleAlert,
  CircleCheck,
  CircleHelp,
  Hourglass,
  type LucideIcon,
  ServerOff,
  Wallet,
  Webhook as WebhookIcon,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { runTimeMs } from '../../../../../lib/core/run-time.ts'
import { AgentName } from '../../components/agent-name.tsx'
import { Cost } from '../../components/cost.tsx'
import { ErrorCode } from '../../components/error-code.tsx'
import { formatDate, formatNumber } from '../../components/format.ts'
import { providerName } from '../../components/provider-name.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { formatDuration } from '../../components/time.ts'
import { When } from '../../components/when.tsx'
import { causeTitle } from '../../data/failures.ts'
import type { InboxItem, InboxItemOf } from '../../data/inbox.ts'

/** An item that is no approval: those are cards. */
export type RowItem = Exclude<InboxItem, { kind: 'approval' }>

type Look = { icon: LucideIcon; label: string; tone: string }

export const looks: Readonly<Record<RowItem['kind'], Look>> = {
  question: { icon: CircleHelp, label: 'Question', tone: 'text-queued' },
  failure: { icon: CircleAlert, label: 'Failed tasks', tone: 'text-failed' },
  hold: { icon: Hourglass, label: 'Usage limit', tone: 'text-queued' },
  budget: { icon: Wallet, label: 'Budget', tone: 'text-queued' },
  runner: { icon: ServerOff, label: 'No runner', tone: 'text-queued' },
  webhook: { icon: WebhookIcon, label: 'Webhook', tone: 'text-failed' },
  result: { icon: CircleCheck, label: 'Result', tone: 'text-completed' },
}

const tasks = (count: number) => (count === 1 ? '1 task' : `${formatNumber(count)} tasks`)
const wait = (count: number) => `${tasks(count)} ${count === 1 ? 'waits' : 'wait'}`

/** `2 of 3 tasks not retried`; `3 tasks not retried` where that is all of them. */
const notRetried = ({ pending, count }: { pending: number; count: number }) =>
  `${pending === count ? '' : `${formatNumber(pending)} of `}${tasks(count)} not retried`

const hostIn = (url: string) => (URL.canParse(url) ? new URL(url).host : url)

export const titleText = (item: RowItem): string => {
  switch (item.kind) {
    case 'question':
      return startOfLine(item.question.text)
    case 'failure':
      return causeTitle(item.failure)
    case 'hold':
      return `${providerName(item.hold.provider)}: ${startOfLine(item.hold.reason)}`
    case 'budget':
      return `${wait(item.waiting)} for the monthly budget`
    case 'runner':
      return `${wait(item.waiting)} for a runner: ${startOfLine(item.reason)}`
    case 'webhook':
      return `The webhook to ${hostIn(item.webhook.url)} was paused`
    case 'result':
      return startOfLine(item.task.title)
  }
}

const runTime = ({ task }: InboxItemOf<'question' | 'result'>) =>
  task.startedAt && task.completedAt && formatDuration(runTimeMs(task, Date.parse(task.completedAt)))

/** What the second line of an item says; its heading says the rest. */
export const facts = (item: RowItem): readonly ReactNode[] => {
  switch (item.kind) {
    case 'question':
      return [startOfLine(item.task.title), item.task.repository, ...runFacts(item)]
    case 'failure':
      return [
        notRetried(item.failure),
        <AgentName key="agent" type={item.failure.agent} />,
        <ErrorCode key="code" code={item.failure.code} />,
        <When key="at" at={item.at} />,
      ]
    case 'hold':
      return [
        'Usage limit',
        item.hold.waiting > 0 && wait(item.hold.waiting),
        <span key="until">
          tried again <When at={item.hold.until} />
        </span>,
      ]
    case 'budget':
      return [item.until && `Until ${formatDate(Date.parse(item.until))}, or a higher budget`]
    case 'runner':
      return [
        <span key="at">
          Since <When at={item.at} />
        </span>,
      ]
    case 'webhook':
      return ['A delivery failed; others wait', <When key="at" at={item.at} />]
    case 'result':
      return [item.task.repository, item.task.branch, ...runFacts(item)]
  }
}

/** Who made a result or asks, and what that took. */
export const runFacts = (item: InboxItemOf<'question' | 'result'>): readonly ReactNode[] => [
  <AgentName key="agent" type={item.task.agent} />,
  runTime(item),
  item.task.cost?.usd != null && <Cost key="cost" cost={item.task.cost} />,
  <When key="at" at={item.at} />,
]

type TitleProps = { item: RowItem; className: string }

/** Leads to the cause. */
export const TitleLink = ({ item, className }: TitleProps) => {
  const look = { className, 'data-row-link': true, children: titleText(item) } as const
  switch (item.kind) {
    case 'failure':
      return (
        <Link to="/tasks/queue" search={{ status: 'all', fingerprint: item.failure.fingerprint }} {...look} />
      )
    case 'hold':
      return <Link to="/tasks" search={{ status: 'queued' }} {...look} />
    case 'budget':
      return <Link to="/settings/installation" {...look} />
    case 'runner':
      return <Link to="/agents" {...look} />
    case 'webhook':
      return <Link to="/settings/webhooks/$id" params={{ id: item.webhook.id }} {...look} />
    case 'question':
    case 'result':
      return <Link to="/tasks/$id" params={{ id: item.task.id }} {...look} />
  }
}
