import { Popover as Base } from '@base-ui/react/popover'
import type { ComponentProps, ReactElement, ReactNode } from 'react'

export type PopoverProps = {
  label: string
  trigger: ReactElement<ComponentProps<'button'>>
  children: ReactNode
  side?: 'bottom' | 'right' | 'top'
}

export const PopoverPanel = ({ label, trigger, children, side = 'bottom' }: PopoverProps) => (
  <Base.Root defaultOpen>
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
