import { findBrowser, launchBrowser, openPage } from './test/support/browser.ts';
import { waitUntilLoaded } from './test/dashboard/open-dashboard.ts';
import { ALL_PAGES } from './test/pictures/pages.ts';
const base = process.argv[2]; const widths = process.argv[3].split(',').map(Number); const schemes = process.argv[4].split(',') as never[]; const names = process.argv.slice(5);
const browser = await launchBrowser(await findBrowser());
for (const [name, path] of ALL_PAGES) { if (names.length && !names.includes(name)) continue;
 for (const w of widths) for (const s of schemes) {
  const { page, context, complaints } = await openPage(browser, { colorScheme: s, viewport: { width: w, height: 900 } });
  await page.addInitScript(() => { (window as any).shifts=[]; new PerformanceObserver((l)=>{ for (const e of l.getEntries() as any) if(!e.hadRecentInput) (window as any).shifts.push([e.value, ...e.sources.slice(0,3).map((x:any)=>(x.node?.className||x.node?.nodeName||'?')+'')]); }).observe({type:'layout-shift',buffered:true}); });
  const t=performance.now();
  try { await page.goto(base + path); await waitUntilLoaded(page); await page.waitForTimeout(1500);
  const shifts0:any[] = await page.evaluate(()=> (window as any).shifts.slice()); (globalThis as any).S=shifts0; if(!process.env.NOSHOT) await page.screenshot({ path: `/tmp/demo/p/${name}-${w}-${s}.png`, fullPage: true }); } catch(e) { console.log(name, String(e).slice(0,200)); }
  const shifts:any[] = (globalThis as any).S;
  const h = await page.evaluate(()=>document.documentElement.scrollHeight).catch(()=>0);
  const cls = shifts.reduce((a,b)=>a+b[0],0);
  console.log(name, w, s, 'h', h, 'cls', cls.toFixed(3), (performance.now()-t)|0, complaints.join('|').slice(0,200), cls>0.02?JSON.stringify(shifts.filter(x=>x[0]>0.01)).slice(0,500):'');
  await context.close();
 } }
await browser.close(); process.exit(0);
