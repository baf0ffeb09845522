import type { ReactNode } from 'react'
import { ConversationList } from './conversation-list.tsx'

/** `list`: classes of the list on narrow screens. */
export const Columns = ({ list, children }: { list: string; children: ReactNode }) => (
  <div className="flex min-h-0 flex-1 max-md:flex-col">
    <ConversationList className={`md:flex md:w-64 md:border-r xl:w-80 ${list}`} />
    {children}
  </div>
)
