import type { ReactNode } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { providers, useProviders, wayTo } from '../../data/providers.ts'

export const ProviderButtons = ({ invite, children }: { invite: string; children?: ReactNode }) => {
  const names = useProviders()
  if (names.length === 0) return null
  return (
    <>
      <div className="flex items-center gap-3 text-xs text-muted-foreground before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
        or
      </div>
      <ul aria-label="Other ways to sign in" className="flex flex-col gap-2">
        {names.map((name) => (
          <li key={name} className="flex">
            <a href={wayTo(name, invite)} className={`${buttonClass()} h-9 flex-1 justify-center`}>
              Continue with {providers[name].label}
            </a>
          </li>
        ))}
      </ul>
      {children}
    </>
  )
}
