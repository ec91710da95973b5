// The palette lives in CSS alone. A canvas does not know `var()` or `light-dark()`, so every colour is painted once on
// one pixel and read back; that also spares Chart.js from formats it cannot parse.

const COLOUR_NAMES = ['text', 'muted', 'hairline', 'surface', 'neutral-line'] as const;

export interface ChartColours {
  readonly text: string;
  readonly muted: string;
  readonly hairline: string;
  readonly surface: string;
  /** Slot 0 is the neutral one, 1 to 8 are the series. */
  readonly series: readonly string[];
  readonly font: string;
}

let cached: { readonly scheme: string; readonly colours: ChartColours } | undefined;

/**
 * Reads the palette as it is on the page.
 *
 * @param scheme names the theme; while it stays the same the palette is not read again
 */
export function readColours(element: HTMLElement, scheme: string): ChartColours {
  if (cached?.scheme !== scheme) cached = { scheme, colours: readPalette(element) };
  return cached.colours;
}

function readPalette(element: HTMLElement): ChartColours {
  const probe = document.createElement('span');
  element.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return toRgb(getComputedStyle(probe).color);
  };
  const [text = '', muted = '', hairline = '', surface = '', neutral = ''] = COLOUR_NAMES.map(read);
  const series = [neutral, ...Array.from({ length: 8 }, (_, at) => read(`series-${at + 1}`))];
  const font = getComputedStyle(element).fontFamily;
  probe.remove();
  return { text, muted, hairline, surface, series, font };
}

function toRgb(color: string): string {
  const canvas = document.createElement('canvas');
  canvas.width = 1;
  canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return color;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
  return `rgb(${r}, ${g}, ${b})`;
}

/** The same colour, fainter. */
export function withAlpha(rgb: string, alpha: number): string {
  return rgb.replace('rgb(', 'rgba(').replace(')', `, ${alpha})`);
}
