import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'

type Props = {
  count: number
  onClear: () => void
  /** It replaces a search field, so `/` clears the selection first. */
  freesSearch?: boolean
  children: ReactNode
}

export const SelectionBar = ({ count, onClear, freesSearch = false, children }: Props) => (
  <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b bg-accent px-4 py-1.5 md:px-6">
    <span className="font-medium" role="status">
      {count} selected
    </span>
    {children}
    <Button kind="ghost" data-frees-search={freesSearch || undefined} onClick={onClear}>
      <X size={14} /> Clear
    </Button>
  </div>
)
