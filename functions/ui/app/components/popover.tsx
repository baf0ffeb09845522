import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'

type Props = { label: string; trigger: ReactElement; children: ReactNode; side?: 'bottom' | 'right' | 'top' }

/** A panel that hangs on the button that opens it. */
export const Popover = ({ label, trigger, children, side = 'bottom' }: Props) => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner side={side} align="start" sideOffset={6} collisionPadding={8} className="z-50">
        <Base.Popup
          aria-label={label}
          className="w-80 max-w-[calc(100vw-1rem)] rounded-lg border bg-popover text-popover-foreground shadow-xl outline-none transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)

/** Closes the panel that it is in. */
export const PopoverClose = Base.Close
