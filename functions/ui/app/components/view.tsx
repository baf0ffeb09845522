import { createContext, type ReactNode, useContext, useEffect } from 'react'
import { useNarrow } from './narrow.ts'

type Props = {
  title: string
  /** In front of the title. */
  back?: ReactNode
  /** Links to the views beside this one, shown in place of the title. */
  tabs?: ReactNode
  /** Beside the title, such as a count or a state. */
  aside?: ReactNode
  actions?: ReactNode
  children: ReactNode
  /** The content scrolls itself, as a virtual table does. */
  isFixed?: boolean
  /** On phones the head scrolls away with the content, which has a line of its own in its place: 44 px. */
  isHeadScrolled?: boolean
  /** Stays in view below the content, and covers none of it. */
  foot?: ReactNode
}

/** The way back from every view inside of a frame, before the title. */
export const ViewBack = createContext<ReactNode>(null)

const ViewTitle = createContext('')

export const View = (props: Props) => {
  const { title, back, tabs, aside, actions, children, isFixed = false, isHeadScrolled = false, foot } = props
  const frameBack = useContext(ViewBack)
  const isHeadInside = useNarrow() && isHeadScrolled
  useEffect(() => {
    document.title = `${title} · Agent Tasks`
  }, [title])
  const heading = (
    <h1
      className={tabs ? 'sr-only' : 'min-w-0 text-base font-semibold max-md:line-clamp-3 md:truncate'}
      title={title}
    >
      {title}
    </h1>
  )
  const head = (
    <header
      className={`flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b px-4 md:px-6 ${tabs ? 'max-md:gap-y-0' : 'py-2'}`}
    >
      {tabs ? (
        heading
      ) : (
        <div className={`flex min-w-0 ${back ? 'items-start gap-1 max-md:w-full' : 'items-center gap-3'}`}>
          {back ?? frameBack}
          {heading}
        </div>
      )}
      {tabs}
      {!tabs && aside}
      <div
        className={`ml-auto flex items-center gap-2 empty:hidden ${tabs ? 'max-md:w-full max-md:justify-between max-md:*:my-1' : ''}`}
      >
        {tabs && aside}
        {actions}
      </div>
    </header>
  )
  return (
    <div className="flex h-full min-h-0 flex-col">
      {!isHeadInside && head}
      <ViewTitle value={title}>
        <div
          className={`min-h-0 flex-1 ${isFixed ? 'flex flex-col' : 'overflow-y-auto'} ${isHeadInside ? 'scroll-pt-11' : ''}`}
        >
          {isHeadInside && head}
          {children}
        </div>
      </ViewTitle>
      {foot}
    </div>
  )
}

type PanelProps = { title: string; aside?: ReactNode; children: ReactNode }

/** A title that the view has already is not shown again. */
export const Panel = ({ title, aside, children }: PanelProps) => {
  const isSaid = useContext(ViewTitle) === title
  return (
    <section className="flex min-w-0 flex-col rounded-lg border bg-card" aria-label={title}>
      <div
        className={
          isSaid && aside === undefined
            ? 'sr-only'
            : 'flex min-h-10 shrink-0 items-center justify-between gap-2 border-b px-3.5'
        }
      >
        <h2 className={isSaid ? 'sr-only' : 'font-semibold'}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
