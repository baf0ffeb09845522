import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'

type Props = { title: string; isFirst?: boolean; children: ReactNode }

/** On a phone the contents are a separate page. */
export const Page = ({ title, isFirst = false, children }: Props) => {
  useEffect(() => {
    document.title = `${title} · Agent Tasks`
  }, [title])
  return (
    <div className="mx-auto w-full max-w-3xl px-4 pt-4 pb-16 md:px-8 md:pt-6">
      {!isFirst && (
        <Link
          to="/docs"
          className="mb-3 inline-flex items-center gap-1.5 text-muted-foreground hover:text-foreground md:hidden"
        >
          <ArrowLeft size={14} /> All docs
        </Link>
      )}
      <h1 className="mb-2 text-xl font-semibold [overflow-wrap:anywhere]">{title}</h1>
      {children}
    </div>
  )
}
