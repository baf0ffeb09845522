import { useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { type RefObject, useEffect, useState } from 'react'
import type { Task } from '../../../../../lib/tasks/schema.ts'
import { useNarrow } from '../../components/narrow.ts'
import { Dot } from '../../components/state.tsx'
import { startOfLine } from '../../components/text-weight.ts'
import { Back } from './back.tsx'
import { tabs as names, type Tab } from './tabs.ts'

type Props = {
  task: Task
  tab: Tab
  tabs: readonly Tab[]
  /** The row of the tabs; the line is there once it has scrolled away. */
  row: RefObject<HTMLElement | null>
}

/** The head of the page in one line: the way back, the state, the title and the tab. */
export const HeadLine = (props: Props) => {
  const isPassed = usePassed(props.row)
  return <div className="sticky top-0 z-20 h-0 md:hidden">{isPassed && <Line {...props} />}</div>
}

const Line = ({ task, tab, tabs, row }: Props) => {
  const navigate = useNavigate({ from: '/tasks/$id' })
  const show = (next: string) => {
    row.current?.scrollIntoView({ block: 'start' })
    void navigate({
      search: ({ attempt }) => ({ tab: next as Tab, ...(attempt === undefined ? {} : { attempt }) }),
      replace: true,
    })
  }
  return (
    <div className="flex h-11 items-center gap-2 border-b bg-background px-4">
      <Back />
      <Dot status={task.status} waitingFor={task.waitingFor} />
      <span className="min-w-0 flex-1 truncate font-medium">{startOfLine(task.title)}</span>
      <span className="relative flex items-center">
        <select
          aria-label="Part of the task"
          value={tab}
          onChange={({ target }) => show(target.value)}
          className="h-8 appearance-none rounded-md bg-transparent pr-5 pl-1.5 font-medium"
        >
          {tabs.map((one) => (
            <option key={one} value={one}>
              {names[one]}
            </option>
          ))}
        </select>
        <ChevronDown size={14} aria-hidden className="pointer-events-none absolute right-1" />
      </span>
    </div>
  )
}

/** Whether a row has left the screen at its upper end. */
const usePassed = (row: RefObject<HTMLElement | null>): boolean => {
  const isNarrow = useNarrow()
  const [isPassed, setPassed] = useState(false)
  useEffect(() => {
    setPassed(false)
    if (!isNarrow || row.current === null) return
    const observer = new IntersectionObserver(([entry]) =>
      setPassed(
        entry !== undefined && !entry.isIntersecting && entry.boundingClientRect.top < innerHeight / 2,
      ),
    )
    observer.observe(row.current)
    return () => observer.disconnect()
  }, [isNarrow, row])
  return isPassed
}
