import { CheckCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { toast } from '../../components/toast.tsx'
import { View } from '../../components/view.tsx'
import { useAllNotifications, useReadAll } from '../../data/notifications.ts'
import { columns } from './columns.tsx'

const curl = () => `curl ${location.origin}/api/notifications`

export const Notifications = (): ReactNode => {
  const pages = useAllNotifications()
  const readAll = useReadAll()
  const unread = pages.first?.unread
  const markAll = () =>
    readAll.mutate(undefined, {
      onError: (refused) => toast.failed('Not marked as read', errorMessage(refused)),
    })
  return (
    <View
      title="Notifications"
      isFixed
      aside={unread !== undefined && <span className="text-muted-foreground">{unread} unread</span>}
      actions={
        <Button needsService disabled={!unread || readAll.isPending} onClick={markAll}>
          <CheckCheck size={14} /> Mark all as read
        </Button>
      }
    >
      <PagedTable
        label="All notifications"
        columns={columns}
        pages={pages}
        empty={
          <Empty title="No notifications yet" curl={curl()}>
            Tasks that fail for good or need your approval are listed here and under the bell. With the API:
          </Empty>
        }
      />
    </View>
  )
}
