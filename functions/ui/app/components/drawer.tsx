import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef } from 'react'

type Props = {
  title: string
  onClose: () => void
  onKeyDown?: (event: KeyboardEvent) => void
  isWide?: boolean
  children: ReactNode
}

/** A panel on the right, over the page. It takes focus, so that it receives keys. */
export const Drawer = ({ title, onClose, onKeyDown, isWide = false, children }: Props) => {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/20 dark:bg-black/45" />
        <Base.Popup
          ref={popup}
          tabIndex={-1}
          initialFocus={popup}
          onKeyDown={onKeyDown}
          className={`fixed inset-y-0 right-0 z-50 flex ${isWide ? 'w-[60rem]' : 'w-[32rem]'} max-w-[calc(100vw-2rem)] flex-col border-l bg-popover text-popover-foreground shadow-xl outline-none`}
        >
          <div className="flex items-start gap-2 border-b px-4 py-3">
            <Base.Title className="min-w-0 flex-1 text-base font-semibold [overflow-wrap:anywhere]">
              {title}
            </Base.Title>
            <Base.Close aria-label="Close" className="rounded-md p-1.5 text-muted-foreground hover:bg-accent">
              <X size={15} />
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
