import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'

type Props = {
  isOpen: boolean
  onClose: () => void
  title: string
  description?: ReactNode
  children: ReactNode
  /** Shows the title to screen readers only. */
  isBare?: boolean
}

/** Focus returns to the element that opened it. */
export const Dialog = ({ isOpen, onClose, title, description, children, isBare = false }: Props) => (
  <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-black/35 transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0 dark:bg-black/40" />
      <Base.Popup className="fixed top-[8vh] left-1/2 z-50 flex max-h-[84vh] w-[36rem] max-w-[calc(100vw-1.5rem)] -translate-x-1/2 flex-col overflow-hidden rounded-lg border bg-popover text-popover-foreground shadow-xl transition duration-100 data-ending-style:opacity-0 data-starting-style:scale-[0.985] data-starting-style:opacity-0">
        <Base.Title className={isBare ? 'sr-only' : 'pt-3.5 pr-11 pl-4 text-base font-semibold'}>
          {title}
        </Base.Title>
        {description && (
          <Base.Description className="px-4 pt-0.5 text-muted-foreground">{description}</Base.Description>
        )}
        {!isBare && (
          <Base.Close
            aria-label="Close"
            className="absolute top-2.5 right-2.5 rounded-md p-1.5 text-muted-foreground hover:bg-accent"
          >
            <X size={15} />
          </Base.Close>
        )}
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

export const DialogBody = ({ children }: { children: ReactNode }) => (
  <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 py-3">{children}</div>
)

export const DialogFoot = ({ children }: { children: ReactNode }) => (
  <div className="flex items-center justify-end gap-2 border-t bg-muted/40 px-4 py-2.5">{children}</div>
)
