import { Button as Base } from '@base-ui/react/button'
import type { ComponentProps } from 'react'

const kinds = {
  primary: 'bg-primary text-primary-foreground hover:opacity-90',
  plain: 'border bg-card hover:bg-accent',
  ghost: 'text-muted-foreground hover:bg-accent hover:text-foreground',
  danger: 'border text-destructive bg-card hover:bg-accent',
} as const

const sizes = { normal: 'h-8 px-3', small: 'h-7 px-2', icon: 'size-8 justify-center' } as const

export type ButtonLook = { kind?: keyof typeof kinds; size?: keyof typeof sizes }

/** The looks of a button, for links that are to look like one. */
export const buttonClass = ({ kind = 'plain', size = 'normal' }: ButtonLook = {}) =>
  `inline-flex shrink-0 items-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:opacity-50 ${kinds[kind]} ${sizes[size]}`

type Props = ComponentProps<typeof Base> & ButtonLook

export const Button = ({ kind = 'plain', size = 'normal', className = '', ...rest }: Props) => (
  <Base className={`${buttonClass({ kind, size })} ${className}`} {...rest} />
)
