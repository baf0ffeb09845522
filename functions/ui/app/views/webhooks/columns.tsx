import { Link } from '@tanstack/react-router'
import { type Column, rowLinkClass } from '../../components/data-row.tsx'
import { formatNumber } from '../../components/format.ts'
import { iconsColumn } from '../../components/icons-column.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { visibleText } from '../../components/visible-text.ts'
import { When } from '../../components/when.tsx'
import type { Webhook, WebhookDelivery } from '../../data/webhooks.ts'
import { pathOf, shortUrl } from './address.ts'
import { DeliveryState, lastAnswer, WebhookState } from './state.tsx'
import { Switch } from './switch.tsx'
import { TestEvent } from './test-event.tsx'

const quiet = 'text-muted-foreground'

const Actions = (webhook: Webhook) => (
  <>
    <TestEvent webhook={webhook} isIcon />
    <Switch webhook={webhook} isIcon />
  </>
)

export const columns: readonly Column<Webhook>[] = [
  {
    id: 'url',
    header: 'URL',
    width: 'minmax(0, 3fr)',
    narrow: 'minmax(0, 1fr)',
    cell: ({ id, url, failureCount }) => (
      <Link
        to="/settings/webhooks/$id"
        params={{ id }}
        title={url}
        data-row-link
        className={`font-medium ${rowLinkClass}`}
      >
        <span className="max-md:hidden">{shortUrl(url)}</span>
        <span className="md:hidden">{pathOf(url)}</span>
        <span className="block truncate text-xs font-normal text-muted-foreground md:hidden">
          {failureCount > 0 && `${formatNumber(failureCount)} failed in a row, `}
          {new URL(url).host}
        </span>
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: '6rem',
    narrow: '5.5rem',
    cell: (webhook) => <WebhookState webhook={webhook} />,
  },
  {
    id: 'events',
    header: 'Events',
    width: 'minmax(0, 2fr)',
    narrow: null,
    cell: ({ events }) =>
      events.includes('*') ? (
        <span className={quiet}>All events</span>
      ) : (
        <span title={events.join(', ')} className={`font-mono text-xs ${quiet}`}>
          {events.join(', ')}
        </span>
      ),
  },
  {
    id: 'deliveries',
    header: 'Sent',
    width: '4rem',
    narrow: null,
    cell: ({ deliveryCount }) => <span className={quiet}>{formatNumber(deliveryCount)}</span>,
  },
  {
    id: 'failures',
    header: 'Failures',
    width: '6rem',
    narrow: null,
    cell: ({ failureCount }) => (
      <span className={failureCount > 0 ? 'font-medium text-failed' : quiet}>
        {failureCount > 0 ? `${formatNumber(failureCount)} in a row` : 'none'}
      </span>
    ),
  },
  {
    id: 'last',
    header: 'Last sent',
    width: '5rem',
    narrow: '3.75rem',
    cell: ({ lastDelivery }) => <When at={lastDelivery} className={`relative z-1 ${quiet}`} />,
  },
  iconsColumn({ header: 'Actions', count: 2, icons: Actions }),
]

export const deliveryColumns: readonly Column<WebhookDelivery>[] = [
  {
    id: 'event',
    header: 'Event',
    width: 'minmax(0, 2fr)',
    narrow: 'minmax(0, 1fr)',
    cell: ({ id, event, taskId, taskTitle }) => (
      <>
        <Link
          to="."
          search={(before: object) => ({ ...before, delivery: id })}
          title={id}
          data-row-link
          className={`font-mono font-medium ${rowLinkClass}`}
        >
          {event}
        </Link>
        {taskId !== undefined && (
          <span className="block truncate text-xs text-muted-foreground md:hidden">
            {startOfLine(visibleText(taskTitle ?? taskId))}
          </span>
        )}
      </>
    ),
  },
  {
    id: 'task',
    header: 'Task',
    width: 'minmax(0, 3fr)',
    narrow: null,
    cell: ({ taskId, taskTitle }) =>
      taskId !== undefined && (
        <Link
          to="/tasks/$id"
          params={{ id: taskId }}
          title={visibleText(taskTitle ?? taskId)}
          className="relative z-1 block truncate hover:underline"
        >
          {startOfLine(visibleText(taskTitle ?? taskId))}
        </Link>
      ),
  },
  {
    id: 'state',
    header: 'State',
    width: '5.5rem',
    narrow: '5rem',
    cell: (delivery) => <DeliveryState delivery={delivery} />,
  },
  {
    id: 'answer',
    header: 'Last response',
    width: 'minmax(0, 2fr)',
    narrow: null,
    cell: (delivery) => {
      const { attempts, attemptsOmitted = 0 } = delivery
      const count = attempts.length + attemptsOmitted
      const answer = visibleText(lastAnswer(delivery))
      return (
        <span title={answer} className={quiet}>
          {startOfLine(answer)}
          {count > 1 && `, ${formatNumber(count)} attempts`}
        </span>
      )
    },
  },
  {
    id: 'made',
    header: 'Created',
    width: '5rem',
    narrow: '3.75rem',
    cell: ({ createdAt }) => <When at={createdAt} className={`relative z-1 ${quiet}`} />,
  },
]
