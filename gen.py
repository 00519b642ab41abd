import sys
def folds(n):
    s="x"
    for k in range(1,n+1):
        s=f"fold(\\s{k}, i{k} => s{k} * 0.5 + {s}, x, iota(3))"
    return "def f(x: Real): Real = "+s
print(folds(int(sys.argv[1])))
