import { Monitor, Moon, Sun } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { chooseTheme, theme } from './theme.ts'

const looks = {
  system: { icon: Monitor, next: 'light', says: 'Theme of the system' },
  light: { icon: Sun, next: 'dark', says: 'Light theme' },
  dark: { icon: Moon, next: 'system', says: 'Dark theme' },
} as const

export const ThemeButton = () => {
  const { icon: Icon, next, says } = looks[theme.use()]
  return (
    <Button
      kind="ghost"
      size="icon"
      aria-label={`${says}; change to ${next}`}
      title={says}
      onClick={() => chooseTheme(next)}
    >
      <Icon size={15} />
    </Button>
  )
}
