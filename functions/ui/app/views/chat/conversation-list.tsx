import { Link } from '@tanstack/react-router'
import { Plus, ShieldQuestion } from 'lucide-react'
import { useRef } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { useRowKeys } from '../../components/row-keys.ts'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { When } from '../../components/when.tsx'
import { scrollToItem, Windowed } from '../../components/windowed.tsx'
import { useApprovals } from '../../data/approvals.ts'
import { useConversations } from '../../data/chat.ts'

const ROW_PX = 33

export const ConversationList = ({ className }: { className: string }) => {
  const { rows, isPending, error, refetch, onMore, hasNextPage } = useConversations()
  const { data: approvals = [] } = useApprovals()
  const waiting = new Set(approvals.map(({ conversationId }) => conversationId))
  const scroller = useRef<HTMLDivElement>(null)
  useRowKeys({
    ids: rows.map(({ id }) => id),
    selection: undefined,
    scroller,
    show: (index) => scrollToItem(scroller.current, index),
  })
  return (
    <div className={`min-h-0 shrink-0 flex-col ${className}`}>
      <div className="flex shrink-0 border-b px-3 py-2 max-md:hidden">
        <Link
          to="/chat"
          activeOptions={{ exact: true }}
          className={`${buttonClass()} flex-1 data-[status=active]:bg-accent`}
        >
          <Plus size={14} /> New conversation
        </Link>
      </div>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto p-2">
        {isPending && <SkeletonRows />}
        {error && rows.length === 0 && <Problem error={error} onRetry={() => void refetch()} />}
        {!isPending && !error && rows.length === 0 && (
          <p className="p-2 text-muted-foreground">No conversations yet</p>
        )}
        {rows.length > 0 && (
          <ul aria-label="Conversations" className="flex flex-col gap-px">
            <Windowed
              isList
              items={rows}
              getKey={({ id }) => id}
              itemPx={ROW_PX}
              atOnce={50}
              className="flex flex-col gap-px"
              draw={({ id, title, createdAt }, at) => (
                <li data-index={at}>
                  <Link
                    to="/chat/$id"
                    params={{ id }}
                    data-row-link
                    className="flex min-h-8 items-center gap-2 rounded-md px-2 hover:bg-accent data-[status=active]:bg-accent data-[status=active]:font-medium"
                  >
                    <span className="min-w-0 flex-1 truncate">
                      {startOfLine(title) || 'New conversation'}
                    </span>
                    {waiting.has(id) && (
                      <ShieldQuestion
                        size={15}
                        role="img"
                        aria-label="Needs approval"
                        className="shrink-0 text-queued"
                      />
                    )}
                    <When at={createdAt} className="text-xs text-muted-foreground" />
                  </Link>
                </li>
              )}
            />
          </ul>
        )}
        {hasNextPage && (
          <Button kind="ghost" className="mt-1 w-full" disabled={!onMore} onClick={onMore}>
            Older conversations
          </Button>
        )}
      </div>
    </div>
  )
}
