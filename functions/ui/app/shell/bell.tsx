import { Link } from '@tanstack/react-router'
import { Bell as Icon } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { Popover, PopoverClose } from '../components/popover.tsx'
import { startOfLine } from '../components/text-weight.ts'
import { When } from '../components/when.tsx'
import { unreadLooks, useNotifications, useRead, useReadAll } from '../data/notifications.ts'

export const Bell = () => {
  const { data } = useNotifications()
  const readAll = useReadAll()
  const unread = data?.unread ?? 0
  return (
    <Popover label="Notifications" trigger={<BellButton unread={unread} />}>
      <div className="flex h-10 items-center justify-between border-b px-3">
        <h2 className="font-semibold">Notifications</h2>
        <Button
          needsService
          kind="ghost"
          size="small"
          disabled={unread === 0}
          onClick={() => readAll.mutate()}
        >
          Mark all as read
        </Button>
      </div>
      <ul className="max-h-96 overflow-y-auto">
        {data?.notifications.map((one) => (
          <Row key={one.id} {...one} />
        ))}
      </ul>
      {data?.notifications.length === 0 && (
        <p className="px-3 py-8 text-center text-muted-foreground">
          No notifications yet. Tasks that fail for good and calls that need your approval appear here.
        </p>
      )}
    </Popover>
  )
}

const BellButton = ({ unread, ...rest }: { unread: number }) => (
  <Button
    kind="ghost"
    size="icon"
    aria-label={unread > 0 ? `Notifications, ${unread} unread` : 'Notifications'}
    className="relative"
    {...rest}
  >
    <Icon size={16} />
    {unread > 0 && (
      <span className="absolute top-0.5 right-0 min-w-4 rounded-full bg-destructive px-1 text-center text-[0.625rem] leading-4 font-semibold text-background">
        {unread > 99 ? '99+' : unread}
      </span>
    )}
  </Button>
)

type BellItem = NonNullable<ReturnType<typeof useNotifications>['data']>['notifications'][number]

const Row = ({ id, type, title, message, taskId, read, createdAt }: BellItem) => {
  const mark = useRead()
  const text = (
    <>
      <span className={`mt-1.5 size-1.5 shrink-0 rounded-full ${read ? '' : unreadLooks[type]}`} />
      <span className="min-w-0 flex-1">
        <span className="flex justify-between gap-2">
          <span className={`truncate ${read ? '' : 'font-medium'}`}>{startOfLine(title)}</span>
          <When at={createdAt} className="text-xs text-muted-foreground" />
        </span>
        <span className="line-clamp-2 text-muted-foreground [overflow-wrap:anywhere]">
          {startOfLine(message)}
        </span>
      </span>
    </>
  )
  if (taskId === undefined) return <li className="flex gap-2 border-b px-3 py-2 last:border-0">{text}</li>
  return (
    <li className="border-b last:border-0">
      <PopoverClose
        nativeButton={false}
        onClick={() => !read && mark.mutate(id)}
        render={
          <Link to="/tasks/$id" params={{ id: taskId }} className="flex gap-2 px-3 py-2 hover:bg-accent">
            {text}
          </Link>
        }
      />
    </li>
  )
}
