import { Monitor, Moon, Sun } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { chooseTheme, theme } from './theme.ts'

const looks = {
  system: { icon: Monitor, next: 'light', label: 'System theme' },
  light: { icon: Sun, next: 'dark', label: 'Light theme' },
  dark: { icon: Moon, next: 'system', label: 'Dark theme' },
} as const

export const ThemeButton = () => {
  const { icon: Icon, next, label } = looks[theme.use()]
  return (
    <Button
      kind="ghost"
      size="icon"
      aria-label={`${label}; change to ${next}`}
      title={label}
      onClick={() => chooseTheme(next)}
    >
      <Icon size={15} />
    </Button>
  )
}
