import { Link } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { type Column, rowLinkClass } from '../../components/data-row.tsx'
import { iconsColumn } from '../../components/icons-column.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import { type NotificationRow, unreadLooks, useRead } from '../../data/notifications.ts'

const Dot = ({ read, type }: Pick<NotificationRow, 'read' | 'type'>) => (
  <span className={`mr-2 inline-block size-2 rounded-full ${read ? '' : unreadLooks[type]}`}>
    <span className="sr-only">{read ? 'Read' : 'Unread'}</span>
  </span>
)

/** Opening marks as read. */
const Title = ({ id, title, taskId, read }: NotificationRow) => {
  const mark = useRead()
  const weight = read ? '' : 'font-medium'
  const open = () => {
    if (!read) mark.mutate(id)
  }
  if (taskId === undefined)
    return (
      <button type="button" data-row-link onClick={open} className={`${weight} ${rowLinkClass}`}>
        {startOfLine(title)}
      </button>
    )
  return (
    <Link
      to="/tasks/$id"
      params={{ id: taskId }}
      data-row-link
      onClick={open}
      className={`${weight} ${rowLinkClass}`}
    >
      {startOfLine(title)}
    </Link>
  )
}

const MarkRead = ({ id, read }: NotificationRow) => {
  const mark = useRead()
  if (read) return null
  return (
    <Button
      kind="ghost"
      size="icon"
      title="Mark as read"
      aria-label="Mark as read"
      disabled={mark.isPending}
      needsService
      onClick={() => mark.mutate(id)}
    >
      <Check size={14} />
    </Button>
  )
}

export const columns: readonly Column<NotificationRow>[] = [
  {
    id: 'title',
    header: 'What',
    width: 'minmax(0, 2fr)',
    narrow: 'minmax(0, 1fr)',
    cell: (row) => (
      <>
        <Dot {...row} />
        <Title {...row} />
      </>
    ),
  },
  {
    id: 'message',
    header: 'Why',
    width: 'minmax(0, 3fr)',
    narrow: null,
    cell: ({ message }) => (
      <span title={message} className="text-muted-foreground">
        {startOfLine(message)}
      </span>
    ),
  },
  {
    id: 'created',
    header: 'When',
    width: '5rem',
    narrow: '3.75rem',
    cell: ({ createdAt }) => <When at={createdAt} className="relative z-1 text-muted-foreground" />,
  },
  iconsColumn({ header: 'Mark as read', count: 1, isOnPhones: true, icons: MarkRead }),
]
