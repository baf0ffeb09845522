import { type ReactNode, useEffect } from 'react'
import { Mark } from '../../shell/mark.tsx'
import { ThemeButton } from '../../shell/theme-button.tsx'

type Props = { title: string; hint?: ReactNode; children: ReactNode; foot?: ReactNode }

export const Entrance = ({ title, hint, children, foot }: Props) => {
  useEffect(() => {
    document.title = `${title} · Agent Tasks`
  }, [title])
  return (
    <main className="flex h-full flex-col items-center overflow-y-auto px-4 py-6">
      <div className="flex w-full max-w-88 flex-col gap-5 pb-6 sm:pt-[8vh]">
        <div className="flex items-center gap-2">
          <Mark />
          <span className="font-semibold">Agent Tasks</span>
          <span className="ml-auto">
            <ThemeButton />
          </span>
        </div>
        <div className="flex flex-col gap-4 rounded-xl border bg-card p-5 shadow-sm">
          <div>
            <h1 className="text-lg font-semibold">{title}</h1>
            {hint && <p className="text-muted-foreground">{hint}</p>}
          </div>
          {children}
        </div>
        {foot && <p className="text-center text-muted-foreground">{foot}</p>}
      </div>
    </main>
  )
}
